"""What is wrong with a drawing, measured on it: texts crossed, cut off, one on another.

Fonts are those of the drawing itself (DejaVu Sans, which matplotlib brings), wider than
what a reader's machine will take.
"""

from matplotlib.backends.backend_agg import FigureCanvasAgg

from caveat import pages
from caveat.pages._canvas import FRAME, _quietly


def painted(figure, phone):
    """Draw a figure: its sheet, its lines, and its texts with their boxes in pixels."""
    width, height = figure.phone_size if phone else figure.size
    with _quietly():
        canvas = pages.Canvas(width, height, phone=phone)
        figure.draw(canvas)
        painter = FigureCanvasAgg(canvas.sheet)
        painter.draw()
        texts, lines = [*canvas.sheet.texts], [*canvas.sheet.lines]
        for axes in canvas.sheet.axes:
            texts += axes.texts
            lines += axes.lines
            if axes.axison:
                texts += [axes.xaxis.label, axes.yaxis.label]
                texts += [*axes.get_xticklabels(), *axes.get_yticklabels()]
        boxes = [
            (text.get_text(), text.get_window_extent(painter.get_renderer()))
            for text in texts
            if text.get_visible() and text.get_text().strip()
            if text.get_gid() != FRAME
        ]
    return canvas.sheet, lines, boxes


def crossed(figure, phone):
    """List the texts of a drawing that a line goes through."""
    _, lines, boxes = painted(figure, phone)
    paths = [
        line.get_transform().transform_path(line.get_path())
        for line in lines
        if line.get_linestyle() not in ("None", "", " ")
    ]
    return [
        text
        for text, box in boxes
        # A hair less than the box: letters do not fill their line.
        if any(path.intersects_bbox(box.padded(-1.5), filled=False) for path in paths)
    ]


def cut_off(figure, phone):
    """List the texts of a drawing that leave its sheet."""
    sheet, _, boxes = painted(figure, phone)
    edge = sheet.bbox.padded(1)
    return [
        text
        for text, box in boxes
        if box.x0 < edge.x0 or box.x1 > edge.x1 or box.y0 < edge.y0 or box.y1 > edge.y1
    ]


def covered(figure, phone):
    """List the pairs of texts of a drawing of which one lies on the other."""
    _, _, boxes = painted(figure, phone)
    return [
        (text, other)
        for place, (text, box) in enumerate(boxes)
        for other, there in boxes[:place]
        if box.padded(-1).overlaps(there.padded(-1))
    ]

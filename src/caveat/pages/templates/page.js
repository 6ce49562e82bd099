"use strict";
(function () {
  const root = document.documentElement;
  const live = document.getElementById("live");
  const card = document.getElementById("card");
  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));
  root.classList.add("js");

  // Light and dark: follow the system until the reader decides.
  const theme = document.querySelector(".theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const showTheme = () => {
    theme.textContent = isDark() ? "Light" : "Dark";
    theme.setAttribute("aria-pressed", String(isDark()));
  };
  theme.setAttribute("aria-label", "Dark colours");
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    showTheme();
  });
  system.addEventListener("change", showTheme);
  showTheme();

  // Sorting: best first, then reversed; missing always last; references stay.
  const key = (row, column) => {
    const cell = row.cells[column];
    if (cell.tagName === "TH") return cell.textContent.trim();
    if (!("v" in cell.dataset)) return null;
    const number = Number(cell.dataset.v);
    return Number.isNaN(number) ? cell.dataset.v : number;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a).localeCompare(String(b), "en", { numeric: true });
  const sort = (table, header, column) => {
    const natural = header.dataset.best === "max" ? "descending" : "ascending";
    const other = natural === "ascending" ? "descending" : "ascending";
    const order = header.getAttribute("aria-sort") === natural ? other : natural;
    const sign = order === "ascending" ? 1 : -1;
    all("thead th", table).forEach((one) => one.removeAttribute("aria-sort"));
    header.setAttribute("aria-sort", order);
    all("tbody:not(.reference)", table).forEach((body) => {
      const rows = Array.from(body.rows);
      rows.forEach((row, place) => (row.place = row.place === undefined ? place : row.place));
      rows.sort((one, two) => {
        const a = key(one, column);
        const b = key(two, column);
        if (a === null || b === null) return (a === null) - (b === null) || one.place - two.place;
        return sign * compare(a, b) || one.place - two.place;
      });
      body.append(...rows);
    });
    live.textContent = `Sorted by ${header.firstChild.textContent.trim()}, ${order}`;
  };
  all("table").forEach((table) => {
    all("thead tr:last-child th", table).forEach((header, column) => {
      if (!header.dataset.best) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...Array.from(header.childNodes));
      header.append(button);
      button.addEventListener("click", () => sort(table, header, column));
    });
  });

  // A table that fits needs no scrolling of its own, so its header can stay in sight.
  const fit = () =>
    all(".board .scroll").forEach((part) => {
      part.classList.remove("fits");
      part.classList.toggle("fits", part.scrollWidth <= part.clientWidth);
    });
  window.addEventListener("resize", fit);
  fit();

  // Filter and switch: one view of several is in place, the others wait in .others.
  all(".switch").forEach((part) => {
    const find = part.querySelector("input");
    const found = part.querySelector(".found");
    const others = part.querySelector(".others");
    const selects = all("select", part);
    const shown = () => all(":scope > .view", part)[0];
    const filter = (say) => {
      const wanted = find.value.trim().toLowerCase();
      const rows = all("tbody:not(.reference) tr", shown());
      let count = 0;
      rows.forEach((row) => {
        const name = row.querySelector("th").textContent.toLowerCase();
        row.hidden = !name.includes(wanted);
        count += row.hidden ? 0 : 1;
      });
      found.textContent = wanted || say ? `${count} of ${rows.length} ${find.placeholder}s` : "";
    };
    find.addEventListener("input", () => filter(true));
    const choose = () => {
      const current = shown();
      const fits = (view) =>
        selects.every((one) => view.dataset[`is${one.dataset.choice}`] === one.value);
      const next = all(".view", part).find(fits);
      if (!next || next === current) return;
      current.replaceWith(next);
      others.append(current);
      fit();
      filter(false);
      live.textContent = `Showing ${selects.map((one) => one.value).join(", ")}`;
    };
    selects.forEach((one) => one.addEventListener("change", choose));
  });

  // Conditions card: what a number is, and under which conditions it holds.
  const line = (tag, text) => {
    const element = document.createElement(tag);
    element.textContent = text;
    return element;
  };
  const words = (element) => (element ? element.textContent.replace(/\s+/g, " ").trim() : "");
  const fill = (cell) => {
    card.replaceChildren();
    const term = cell.dataset.term && document.getElementById(cell.dataset.term);
    if (term) {
      card.append(line("b", words(term.querySelector("dt"))));
      const summary = words(term.querySelector(".summary"));
      const warning = words(term.querySelector(".warning"));
      if (summary) card.append(line("span", summary));
      if (warning) card.append(line("em", warning));
      return true;
    }
    if (!cell.dataset.how) return false;
    const table = cell.closest("table");
    const header = all("thead tr:last-child th", table)[cell.cellIndex];
    const value = Array.from(cell.childNodes).filter((node) => node.nodeType === 3);
    const number = value.map((node) => node.textContent).join("").trim();
    const what = [words(cell.parentNode.querySelector("th")).replace(/\*$/, ""), words(header)];
    card.append(line("b", `${number} ${table.dataset.unit}`.trim()), `, ${what.join(", ")}`);
    card.append(line("span", [cell.dataset.how, table.dataset.how].filter(Boolean).join("; ")));
    if (cell.dataset.caveat) card.append(line("em", `* ${cell.dataset.caveat}`));
    return true;
  };
  let owner = null;
  const close = () => {
    if (owner) owner.removeAttribute("aria-describedby");
    owner = null;
    card.hidden = true;
  };
  const open = (cell) => {
    if (cell === owner) return;
    close();
    if (!fill(cell)) return;
    owner = cell;
    card.hidden = false;
    cell.setAttribute("aria-describedby", "card");
    const box = cell.getBoundingClientRect();
    const room = root.clientWidth - card.offsetWidth - 12;
    const left = Math.max(12, Math.min(box.left, room));
    const above = box.bottom + card.offsetHeight + 8 > window.innerHeight && box.top > card.offsetHeight;
    const top = above ? box.top - card.offsetHeight - 4 : box.bottom + 4;
    card.style.left = `${left + window.scrollX}px`;
    card.style.top = `${top + window.scrollY}px`;
  };
  const carded = "td[data-how], th[data-term]";
  document.addEventListener("mouseover", (event) => {
    const cell = event.target.closest(carded);
    if (cell) open(cell);
    else if (!event.target.closest("#card") && !(owner && owner === document.activeElement)) close();
  });
  document.addEventListener("click", (event) => {
    const cell = event.target.closest(carded);
    if (cell && !event.target.closest("a, button")) open(cell);
    else if (!event.target.closest("#card")) close();
  });
  document.addEventListener("focusin", (event) => {
    const cell = event.target.closest(carded);
    if (cell && cell === event.target) open(cell);
    else close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });

  // One tab stop per table; arrow keys move from cell to cell.
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const reachable = (cell) => cell && cell.matches(carded) && cell.offsetParent !== null;
  all("table").forEach((table) => {
    const first = table.querySelector(`tbody ${carded.split(", ").join(", tbody ")}`);
    if (first) first.tabIndex = 0;
    table.addEventListener("keydown", (event) => {
      const step = steps[event.key];
      if (!step || !event.target.matches(carded)) return;
      const rows = all("tbody tr", table).filter((row) => !row.hidden);
      let row = rows.indexOf(event.target.parentNode);
      let column = event.target.cellIndex;
      do {
        row += step[0];
        column += step[1];
      } while (rows[row] && rows[row].cells[column] && !reachable(rows[row].cells[column]));
      const next = rows[row] && rows[row].cells[column];
      if (!next) return;
      event.preventDefault();
      event.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  });

  // Paper has no folds.
  const folded = () => all("details:not(.others):not([open])");
  let opened = [];
  window.addEventListener("beforeprint", () => {
    close();
    opened = folded();
    opened.forEach((one) => (one.open = true));
  });
  window.addEventListener("afterprint", () => opened.forEach((one) => (one.open = false)));
})();

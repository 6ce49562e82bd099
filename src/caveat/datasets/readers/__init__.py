"""File formats: bytes in, tables out. Nothing here is unpickled or executed."""

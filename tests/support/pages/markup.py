"""What a page consists of, without a browser."""

from html.parser import HTMLParser

VOID = {"meta", "link", "img", "input", "br", "hr"}
CELLS = {"td", "th"}


class Markup(HTMLParser):
    """Checks that elements are closed in order, and keeps links, classes, attributes, and the text of tables."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.classes: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.tables: list[list[list[str]]] = []
        """Their rows, and the texts of the cells in each."""
        self.text = ""
        self.feed(markup)
        self.close()
        assert not self.open

    @property
    def rows(self) -> list[list[str]]:
        """Those of all tables."""
        return [row for table in self.tables for row in table]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = [(name, value or "") for name, value in attrs]
        self.attributes += [(tag, name, value) for name, value in given]
        self.links += [value for name, value in given if name == "href" and tag == "a"]
        self.classes |= {word for name, value in given if name == "class" for word in value.split()}
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in CELLS:
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if CELLS.intersection(self.open) and "title" not in self.open:
            self.tables[-1][-1][-1] += data

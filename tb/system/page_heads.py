"""Headings and heads of tables of pages, given as text of their DOM: one a line, each once."""
import re
import sys
from html.parser import HTMLParser


class Heads(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.inside, self.text = {}, None, ""

    def handle_starttag(self, tag, attributes):
        kind = dict(attributes).get("class") or ""
        if tag in ("h2", "h3", "th", "dt") or (tag, kind) in (("div", "name"), ("span", "word")):
            self.inside, self.text = tag, ""

    def handle_endtag(self, tag):
        if tag == self.inside:
            self.inside = None
            head = re.sub(r" [\u25be\u25b4]$", "", " ".join(self.text.split()))
            if head:
                self.found[head] = True

    def handle_data(self, data):
        if self.inside:
            self.text += data


for path in sys.argv[1:]:
    heads = Heads()
    heads.feed(open(path).read())
    print("\n".join(heads.found))

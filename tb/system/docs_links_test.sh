#!/bin/bash
# Every relative link of README.md, CHANGELOG.md and docs leads to a file that is there, and its anchor to a heading of that page.
# Prints how many words the hand-written pages have.
. tb/system/expect.sh
command -v python3 >/dev/null || { echo "skipped: no python3 to read the pages with"; exit 77; }

python3 - <<'PY' || complain "dead links, or too many words"
import glob, os, re, sys

def without_code(text):
    text = re.sub(r"^( *)(```+|~~~+)[^\n]*\n.*?^ *\2 *$", "", text, flags=re.S | re.M)
    return re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", text)

def anchors(path):
    """GitHub's rule: lower case, punctuation away, blanks to hyphens; equal headings are numbered."""
    text = re.sub(r"^( *)(```+|~~~+)[^\n]*\n.*?^ *\2 *$", "", open(path).read(), flags=re.S | re.M)
    found = set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    for heading in re.findall(r"^ {0,3}#{1,6} +(.+?)(?: +#+)? *$", text, re.M):
        heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        heading = re.sub(r"(?<!\w)_(.+?)_(?!\w)", r"\1", re.sub(r"[`*]", "", heading))
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        number, name = 0, slug
        while name in found:
            number += 1
            name = f"{slug}-{number}"
        found.add(name)
    return found

pages = ["README.md", "CHANGELOG.md"] + sorted(glob.glob("docs/**/*.md", recursive=True))
dead = checked = 0
for page in pages:
    text = without_code(open(page).read())
    links = re.findall(r"\]\(<?([^()\s>]+(?:\([^()\s]*\)[^()\s]*)?)>?(?: +\"[^\"]*\")?\)", text) + re.findall(r"^ {0,3}\[[^\]]+\]: *(\S+)", text, re.M)
    for link in links:
        if re.match(r"[a-z][a-z0-9+.-]*:|//", link):
            continue
        checked += 1
        path, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(target):
            print(f"{page}: {link}: no such file")
            dead += 1
        elif anchor and target.endswith(".md") and anchor not in anchors(target):
            print(f"{page}: {link}: no such heading")
            dead += 1
assert checked >= 100, checked

def hand_written(page):
    return page != "CHANGELOG.md" and page != "docs/methods/workload-figures.md" and not re.match(r"docs/(validation|notes)", page)

words = 0
for page in filter(hand_written, pages):
    text = re.sub(r"<!-- generated: .*?-->.*?<!-- end generated -->", "", open(page).read(), flags=re.S)
    text = re.sub(r"<!-- ([\w ]+): begin -->.*?<!-- \1: end -->", "", text, flags=re.S)  # tables of tb/validation/*.sh
    words += len(text.split())
print(words, "words written by hand")
limit = 90_000
if words > limit:
    print("more than", limit)
sys.exit(dead > 0 or words > limit)
PY
exit $failed

#!/usr/bin/env python3
"""load_path.py COPY: in a copy of the tree each function of "The path of one load" prints its number when it is called.

Prints the files that have changed. Fails if the page names too much, or a function that is not defined in its file."""
import re
import sys

STEP = re.compile(r"^(\d+)\. \[`(\w+)::(\w+)`\]\(\.\./([^)#]+)\): ", re.M)

page = open("docs/contributing.md").read()
path = page.split("## The path of one load")[1].split("\n## ")[0]
steps = STEP.findall(path)
numbers = [int(number) for number, *_ in steps]
files = sorted({file for *_, file in steps})
if numbers != list(range(1, len(steps) + 1)) or not 8 <= len(steps) <= 12 or len(files) > 8:
    sys.exit(f"the path has {len(steps)} functions in {len(files)} files; allowed: at most 12 in at most 8, numbered in order")
texts = {file: open(f"{sys.argv[1]}/{file}").read() for file in files}
for number, owner, name, file in steps:
    head = re.compile(rf"^(?!\s)[^\n;#]*\b{owner}(?:<\w+>)?::{name}\([^;{{]*\)[^;{{]*{{", re.M)
    found = head.findall(texts[file])
    if len(found) != 1:
        sys.exit(f"{owner}::{name} is defined {len(found)} times in {file}")
    mark = f' std::fputs("load_path {number}\\n", stderr);'
    texts[file] = head.sub(lambda match, mark=mark: match.group(0) + mark, texts[file])
for file, text in texts.items():
    open(f"{sys.argv[1]}/{file}", "w").write("#include <cstdio>\n" + text)
    print(file)

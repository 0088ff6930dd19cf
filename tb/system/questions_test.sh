#!/bin/bash
# docs/guide/questions.md: every line of output that it shows is printed by the command above it, in that order.
. tb/system/expect.sh
command -v python3 >/dev/null || { echo "skipped: no python3 to read the page with"; exit 77; }

mkdir "$folder/bin" "$folder/here"
ln -s "$(realpath "$strata")" "$folder/bin/strata"
ln -s "$PWD/traces" "$PWD/platforms" "$PWD/docs" "$folder/here/"
python3 - docs/guide/questions.md "$folder" <<'PY' || complain "docs/guide/questions.md shows what is not printed"
import os, re, subprocess, sys
page, folder = open(sys.argv[1]).read(), sys.argv[2]
shown = re.findall(r"```sh\n(.*?)```\n\n```\n(.*?)```", page, re.S)
assert len(shown) == 10, len(shown)
index = re.findall(r"^\| \[(.*?)\]\(#", page, re.M)
assert index == re.findall(r"^## (.*)$", page, re.M), index  # every question, in order
failed = False
for command, lines in shown:
    done = subprocess.run(command, shell=True, cwd=folder + "/here", capture_output=True, text=True,
                          env={**os.environ, "PATH": folder + "/bin:" + os.environ["PATH"]})
    printed = iter(done.stdout.split("\n"))
    missing = [line for line in lines.split("\n") if line.strip() and not any(line == other for other in printed)]
    if done.returncode or missing:
        print(command, "exit code", done.returncode, "does not print", missing[:1], "but", done.stdout, done.stderr[-300:])
        failed = True
sys.exit(failed)
PY
exit $failed

#!/bin/bash
# Every `strata ...` line that README and docs quote is run as a reader would run it, in the order of the page, and must
# succeed. Usage: docs_commands_test.sh PROGRAM
set -u
strata=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
complain() { echo "FAILED: $*"; failed=1; }

mkdir "$folder/bin" "$folder/here"
ln -s "$strata" "$folder/bin/strata"
ln -s "$PWD/traces" "$PWD/platforms" "$PWD/docs" "$PWD/tb" "$folder/here/"
export PATH=$folder/bin:$PATH
export STRATA_CACHE=$folder/cache  # a page cleans it

# Lines of code blocks, and `strata ...` within a line, without placeholders such as NAME, without verbs alone.
commands() {
  grep -hoE '^ *(\$ )?strata [a-z]+ .*|`strata [a-z]+ [^`]*`' "$@" | sed -E 's/^ *(\$ )?//; s/`//g; s/ +#.*//' |
    grep -vE '(^| )(NAME|FILE|DIR|VERB|PLATFORM|TRACE|P|D)\b|\[|/NAME' |
    grep -vE '^strata (run --check-protocol|trace (check|convert|info))$|^strata reproduce ' |  # hours; reproduce_cli_test.sh has it
    sed -E 's/(--measure-records) --scale quick/\1/' |  # minutes; at the scale tiny the same in seconds
    grep -vE -- '--plugin |(fixed|theirs)\.yaml' |  # built by the reader: system_install has them
    grep -vE ' -- \./(bfs|gpt) |bfs\.strata'  # programs of the reader's
}

cd "$folder/here"
for t in matmul_512; do  # what ./quickstart leaves behind, which README goes on from
  for p in shared private; do
    strata run isca19/$p --trace traces/samples/$t --quiet --out results/quickstart/$t/$p >/dev/null ||
      complain "quickstart's run of $t on $p"
  done
done
count=0
for page in "$OLDPWD/README.md" "$OLDPWD"/docs/*.md "$OLDPWD"/docs/{guide,blocks,methods,papers}/*.md; do
  [[ $page == */guide/questions.md ]] && continue  # questions_test.sh runs its commands
  while read -r command; do
    [[ $command == *--svg* ]] && ! command -v dot >/dev/null && continue  # needs Graphviz
    count=$((count + 1))
    output=$(eval "$command" 2>&1 </dev/null)
    got=$?
    [ $got -eq 0 ] || complain "$(basename "$page"): $command: exit code $got: $output"
  done < <(commands "$page")
done
[ $count -ge 20 ] || complain "only $count commands were found"
exit $failed

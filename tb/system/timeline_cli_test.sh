#!/bin/bash
# Timelines from the command line: messages for bad options, what an interrupted run leaves, and that nothing else changes.
# Usage: timeline_cli_test.sh PROGRAM
source "$(dirname "$0")/expect.sh"

short=synthetic:random:loads=8,ctas=4
at=$folder/run.pftrace
refused() { expect 1 "$1" run tiny --trace $short --out "$folder/bad" --timeline "$at" "${@:2}"; }

refused "--timeline-window: '100' is no window; expected core cycles, BEGIN:END, as in 1000:2000 or 1000:" --timeline-window 100
refused "--timeline-window: '9:9' is empty: its end must lie after its begin" --timeline-window 9:9
refused "--timeline-window: '-1:9' is no window" --timeline-window=-1:9
refused "--timeline-address: 'x' is no address; expected 0x7f0000001000, for its line, or FIRST:LAST" --timeline-address x
refused "--timeline-address: '2:1' is empty: its last address must not lie before its first" --timeline-address 2:1
for fraction in 0 2 1/0 3/2 x; do
  refused "--timeline-fraction: '$fraction' is no fraction; allowed: above 0, to 1, as in 0.01 or 1/100" --timeline-fraction $fraction
done
refused "--timeline-limit: '1KiB' is no limit; allowed: a size of 64 KiB or more, as in 1 GiB" --timeline-limit 1KiB
expect 1 "--timeline-window: selects requests of a timeline, but none is requested; name its file with --timeline" \
  run tiny --trace $short --out "$folder/bad" --timeline-window 1:2
expect 1 "--timeline: the name of the file is empty" run tiny --trace $short --out "$folder/bad" --timeline ''
expect 1 "cannot write '$folder/none/x'" run tiny --trace $short --out "$folder/bad" --timeline "$folder/none/x"
cp platforms/machines/tiny/tiny.yaml "$folder/own.yaml"
expect 1 "own.yaml" run "$folder/own.yaml" --trace $short --out "$folder/bad" --timeline "$folder/own.yaml"
[ -e "$folder/bad" ] && complain "a refused run leaves results"
[ -e "$at" ] && complain "a refused run leaves a timeline"

# The run is the same and says what was written.
without=$("$strata" run tiny --trace $short --quiet --out "$folder/without")
with=$("$strata" run tiny --trace $short --quiet --out "$folder/with" --timeline "$at")
[ "$with" = "$without" ] || complain "$with with a timeline, $without without"
cmp -s "$folder/without/ledger.csv" "$folder/with/ledger.csv" || complain "another ledger"
expect 0 "timeline  $at: 256 requests, " run tiny --trace $short --out "$folder/with" --timeline "$at"
cp "$at" "$folder/again.pftrace"
expect 0 "timeline  " run tiny --trace $short --out "$folder/with" --timeline "$at"
cmp -s "$at" "$folder/again.pftrace" || complain "the same run makes another timeline"
expect 0 "has reached 64 KiB in core cycle " run tiny --trace $short --out "$folder/with" --timeline "$at" --timeline-limit 64KiB

# The picture of docs/guide/timeline.md is that of its first command.
command=$(sed -n 's/^    strata run tiny/run tiny/p' docs/guide/timeline.md | head -n 1)
# shellcheck disable=SC2086 # words
"$strata" ${command/tiny.pftrace/$folder/tiny.pftrace} --out "$folder/with" >/dev/null || complain "$command"
"$(dirname "$strata")/tb/system/timeline_picture" "$folder/tiny.pftrace" | cmp -s - docs/images/timeline-tiny.svg ||
  complain "docs/images/timeline-tiny.svg is not what timeline_picture draws of: strata $command"

# Interrupted: the file holds what there is. Killed: there is none, and what was left is removed by the next run.
"$strata" run tiny --quiet --trace synthetic:random:ctas=100000 --out "$folder/long" --timeline "$folder/long.pftrace" \
  --timeline-fraction 1/1000 >/dev/null 2>"$folder/said" &
until ls -d "$folder"/.long.pftrace.new.* >/dev/null 2>&1 && ls -d "$folder"/.long.new.* >/dev/null 2>&1; do sleep 0.05; done
sleep 0.5
[ -e "$folder/long.pftrace" ] && complain "a timeline is there before it is whole"
kill -INT $!
wait $!
code=$?
[ $code -eq 130 ] || complain "interrupted: exit code $code: $(cat "$folder/said")"
[ -s "$folder/long.pftrace" ] || complain "an interrupted run leaves no timeline"
ls -d "$folder"/.long.pftrace.new.* >/dev/null 2>&1 && complain "a draft is left"
exit $failed

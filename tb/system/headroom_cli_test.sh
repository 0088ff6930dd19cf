#!/bin/bash
# strata headroom: every lookup recorded, the limit, policies held against the ceilings, an interruption, misuse; and
# `strata run --observe sharing`, which watches the same way.
. tb/system/expect.sh
work="--trace synthetic:random:ctas=64,warps=4,loads=32,footprint=64KiB"

expect 0 "--judge results/private" headroom --help
# The recorder sees what the slices count.
"$strata" run tiny $work --observe sharing --quiet --out "$folder/plain" >/dev/null || complain "run"
lookups=$(grep -m1 '"llc_accesses"' "$folder/plain/stats.json" | tr -dc 0-9)
[ "$lookups" -gt 1000 ] || complain "only $lookups lookups"
"$strata" headroom tiny $work --judge "$folder/plain" --quiet >"$folder/text" || complain "headroom: $(cat "$folder/text")"
grep -q "^$(sed ':a;s/\([0-9]\)\([0-9]\{3\}\)\($\| \)/\1 \2\3/;ta' <<<"$lookups") lookups of the LLC" "$folder/text" ||
  complain "not $lookups lookups: $(cat "$folder/text")"
for text in "full sharing .* OPT" "full sharing .* infinite" "as simulated" "Issue of all instructions" "$folder/plain "; do
  grep -q "$text" "$folder/text" || complain "no '$text': $(cat "$folder/text")"
done

# Recording does not change the digest of a run.
"$strata" run tiny $work --quiet --out "$folder/unwatched" >"$folder/digest"
grep -q "$(grep -m1 -o '"digest": "[0-9a-f]*"' "$folder/plain/stats.json" | cut -d'"' -f4)" "$folder/digest" || complain "watching changed the run"
"$strata" run isca19/shared $work --observe sharing --quiet --out "$folder/many" >/dev/null || complain "run of many SMs"
grep -q '"shared_lines": [1-9]' "$folder/many/stats.json" || complain "no shared lines"
grep -q '"shared_lines": 0' "$folder/plain/stats.json" || complain "shared lines of a single SM"
grep -q shared_lines "$folder/unwatched/stats.json" && complain "shared lines without a request"
expect 1 "--observe: 'sharin' is no choice; allowed: sharing, replication, lines, capacity (did you mean 'sharing'?)" run tiny $work --observe sharin --out "$folder/none"

expect 0 "ended after 1 000 lookups: the report covers only the recorded ones. --limit N records more" headroom tiny $work --limit 1000
expect 0 "ended by the limit of instructions" headroom tiny $work --max-instructions 5000
expect 0 "read-only loads may have copies" headroom tiny $work --copies read-only
expect 1 "--copies: 'al' is no choice; allowed: all, read-only (did you mean 'all'?)" headroom tiny $work --copies al
expect 1 "--trace or --workload: give one of them" headroom tiny
expect 1 "--limit: '0' is not a whole number of at least 1" headroom tiny $work --limit 0
expect 1 "none" headroom tiny $work --judge "$folder/none"
expect 1 "no option '--judg' (did you mean '--judge'?)" headroom tiny $work --judg x

# Ctrl-C: a report on what there is, and exit code 130.
"$strata" headroom isca19/shared --workload an@paper --quiet >"$folder/stopped" 2>&1 &
child=$!
sleep 2
kill -TERM $child  # SIGINT is ignored in the background of a script
wait $child
code=$?
[ $code -eq 130 ] || complain "interrupted: exit code $code, not 130: $(cat "$folder/stopped")"
grep -q "ended early (interrupted)" "$folder/stopped" || complain "interrupted: $(cat "$folder/stopped")"
exit $failed

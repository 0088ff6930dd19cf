#!/bin/bash
# Several programs from the command line: messages for bad ones, what the results hold, slowdowns against runs alone.
# Usage: multi_cli_test.sh PROGRAM
source "$(dirname "$0")/expect.sh"
a=synthetic:random:ctas=80,loads=32,footprint=64KiB
b=synthetic:random:ctas=160,loads=8,footprint=1MiB

# refused TEXT ARGUMENTS...: exit code 1, and one line.
refused() {
  local text=$1 output
  shift
  output=$("$strata" "$@" --out "$folder/bad" 2>&1)
  [ $? -eq 1 ] || complain "$*: not refused: $output"
  grep -qF -- "$text" <<<"$output" || complain "$*: no '$text' in: $output"
  [ "$(wc -l <<<"$output")" -eq 1 ] || complain "$*: more than one line: $output"
}
refused '2 applications, but a cluster has 1 SM; allowed: at most one application an SM of a cluster' run tiny --trace $a --trace $b
refused '--share 6:5 adds up to 11 SMs, but a cluster has 10' run isca19/shared --trace $a --trace $b --share 6:5
refused '--share 6 has 1 share for 2 applications' run isca19/shared --trace $a --trace $b --share 6
refused '--share 10 has 1 share for 1 application;' run isca19/shared --trace $a --share 10
refused "--share: '0' is not a whole number of at least 1" run isca19/shared --trace $a --trace $b --share 0:10
refused "ctl.organizations: names 'privat' (did you mean 'private'?)" run isca19/multi --trace $a --trace $b \
  --set ctl.organizations=shared:privat
refused 'organizations is shared:private, which is for 2 applications, but 3 run' run isca19/multi --trace $a --trace $b --trace $a
refused "the routers of 'mcr' are bypassed (bypass: true), which only private organizations can use" \
  run isca19/private --trace $a --trace $b --set ctl.organizations=private:shared
refused '--max-instructions names 3 budgets for 2 applications' run isca19/shared --trace $a --trace $b --max-instructions 1:2:3
refused '--no-repeat: one program never begins again' run isca19/shared --trace $a --no-repeat
refused '9 applications; allowed: at most 8' run isca19/shared --trace $a --trace $a --trace $a --trace $a --trace $a \
  --trace $a --trace $a --trace $a --trace $a
refused 'multi needs two programs or more' multi isca19/shared --trace $a
refused '--share 1:2 adds up to 3 SMs, but a cluster has 10' multi isca19/shared --trace $a --trace $b --share 1:2
[ -e "$folder/bad" ] && complain "a refused run left results"

# The order of the command line is the order of the applications, whatever names them; seven SMs and three.
"$strata" run isca19/multi --workload va@quick --trace $b --share 7:3 --no-repeat --check-protocol --quiet \
  --out "$folder/two" >"$folder/first" || complain "two programs"
python=$(command -v python3)
if [ -n "$python" ]; then
  "$python" - "$folder/two/stats.json" <<'EOF' || complain "figures of two programs"
import json, sys
stats = json.load(open(sys.argv[1]))
first, second = stats["applications"]
total = stats["summary"]
assert not stats["partial"]
assert "va@quick" in first["trace"] and "synthetic" in second["trace"], (first["trace"], second["trace"])
assert (first["first_sm"], first["sms"], second["first_sm"], second["sms"]) == (0, 7, 7, 3)
assert (first["organization"], second["organization"]) == ("shared", "private")
for name in ("thread_instructions", "line_accesses", "l1_accesses", "l1_hits", "llc_accesses", "llc_hits", "llc_misses"):
    assert first["summary"][name] + second["summary"][name] == total[name], name
assert first["ended"] and second["ended"] and first["passes"] == second["passes"] == 1
assert first["summary"]["private_share"] == 0 and second["summary"]["private_share"] > 0.9
EOF
fi
"$strata" run isca19/multi --workload va@quick --trace $b --share 7:3 --no-repeat --quiet --out "$folder/again" >"$folder/second"
cmp -s "$folder/first" "$folder/second" || complain "the same run has two digests: $(cat "$folder/first" "$folder/second")"

# How often the time series is sampled has no part in where a run ends: several programs, one again and again.
for limits in "" "--max-instructions 20000" "--max-instructions 20000:300000" "--no-repeat"; do
  for epoch in 10000 1000 77; do
    # shellcheck disable=SC2086
    "$strata" run isca19/multi --trace $a --trace $b $limits --epoch $epoch --quiet --out "$folder/epochs" >>"$folder/digests" ||
      complain "--epoch $epoch $limits"
  done
  [ "$(sort -u "$folder/digests" | wc -l)" -eq 1 ] || complain "--epoch changes a run with '$limits': $(cat "$folder/digests")"
  rm "$folder/digests"
done

# One program is what it was, on this platform too.
"$strata" run isca19/multi --trace $a --quiet --out "$folder/one" >/dev/null || complain "one program"
grep -q '"applications"' "$folder/one/stats.json" && complain "one program has figures of applications"

# Alone and together: a program with itself on half the SMs each makes as much progress as the other.
"$strata" multi isca19/shared --trace $a --trace $a --jobs 2 --quiet --out "$folder/multi" >"$folder/table" || complain "multi"
grep -q 'system throughput (STP)' "$folder/table" || complain "no STP: $(cat "$folder/table")"
for file in multi.json together/stats.json alone-0/stats.json alone-1/stats.json; do
  [ -s "$folder/multi/$file" ] || complain "no $file"
done
grep -q '"stp": [01]\.' "$folder/multi/multi.json" || complain "STP: $(cat "$folder/multi/multi.json")"
expect 0 'strata multi isca19/multi' multi --help
exit $failed

#!/bin/bash
# `strata report` as users meet it, without a browser. Usage: report_cli_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$1"

for seed in 1 2; do
  "$strata" run tiny --trace synthetic:random:footprint=64KiB,loads=32 --seed "$seed" --out "$folder/$seed/run" --quiet >/dev/null ||
    complain "run $seed"
done
before=$(cat "$folder"/1/run/* | cksum)
expect 0 "usage: strata report" report --help
expect 0 "kB, 1 run" report "$folder/1/run" --out "$folder/one.html"
expect 0 "kB, 2 runs" report "$folder/1/run" "$folder/2/run" --out "$folder/two.html"
[ "$(cat "$folder"/1/run/* | cksum)" = "$before" ] || complain "results were changed"
[ "$(wc -c <"$folder/two.html")" -lt 5000000 ] || complain "the page is larger than 5 MB"
# One file that names no host but in licences and names of XML, with the runs told apart, and figures as they were counted.
grep -q 'name":"1/run"' "$folder/two.html" && grep -q 'name":"2/run"' "$folder/two.html" || complain "names of runs"
grep -qE '<(script|link|img|iframe)[^>]*(src|href)="?(http|//)' "$folder/two.html" && complain "the page asks for something"
cycles=$(awk -F'[:,]' '/"cycles"/ { print $2 + 0; exit }' "$folder/1/run/stats.json")
grep -qF "\"cycles\":$cycles," "$folder/one.html" || complain "cycles $cycles are not in the page"
# The same results give the same page, and another figure another.
"$strata" report "$folder/1/run" --out "$folder/again.html" >/dev/null
cmp -s "$folder/one.html" "$folder/again.html" || complain "two pages of the same results differ"
cp -r "$folder/1/run" "$folder/changed"
sed -i "s/\"cycles\": $cycles,/\"cycles\": 123456789,/" "$folder/changed/stats.json"
expect 0 "1 run" report "$folder/changed" --out "$folder/changed.html"
grep -qF '"cycles":123456789,' "$folder/changed.html" || complain "a changed figure does not show"
grep -qF '"changed":["stats.json"]' "$folder/changed.html" || complain "changed results are not named"
# Nothing in results becomes a tag.
sed -i 's|"trace": "|"trace": "</script><b>|' "$folder/changed/stats.json"
expect 0 "1 run" report "$folder/changed" --out "$folder/tag.html"
grep -qF '</script><b>' "$folder/tag.html" && complain "a text of the results is part of the page's HTML"

# Series of L1s, only when asked for: together what each L1 took, and the run is the same.
[ -e "$folder/1/run/l1s.csv" ] && complain "l1s.csv without --l1-epochs"
"$strata" run isca19/shared --trace synthetic:random:footprint=64KiB,loads=4 --l1-epochs --epoch 100 --out "$folder/l1s" --quiet >"$folder/said"
"$strata" run isca19/shared --trace synthetic:random:footprint=64KiB,loads=4 --epoch 100 --out "$folder/none" --quiet | cmp -s - "$folder/said" ||
  complain "--l1-epochs changes the run"
taken=$(awk '/"l1\[/ { l1 = 1 } /"requests":/ && l1 { sum += $2; l1 = 0 } END { print sum }' "$folder/l1s/stats.json")
seen=$(awk -F, 'NR > 1 { for (i = 3; i <= NF; ++i) sum += $i } END { print sum }' "$folder/l1s/l1s.csv")
[ -n "$taken" ] && [ "$taken" = "$seen" ] || complain "l1s.csv adds up to $seen, not $taken"
[ "$(cut -d, -f1 "$folder/l1s/l1s.csv" | cksum)" = "$(cut -d, -f1 "$folder/l1s/epochs.csv" | cksum)" ] || complain "l1s.csv has other epochs"
rm -r "$folder/none"

# What is missing or damaged beside stats.json is left out by name.
printf 'end_cycle,cycles\n1,2,3\n' >"$folder/changed/epochs.csv"
rm "$folder/changed/config.yaml" "$folder/changed/kernels.csv"
expect 0 "1 run" report "$folder/changed" --out "$folder/part.html"
for part in '"part":"machine"' '"part":"energy"' 'epochs.csv:2:1: 3 values, but the first line names 2'; do
  grep -qF "$part" "$folder/part.html" || complain "no word of what is left out: $part"
done

# Bad input: a message each, nothing written.
expect 1 "--out: which file is the page to be" report "$folder/1/run"
expect 1 "no such directory" report "$folder/none" --out "$folder/bad.html"
mkdir "$folder/empty"
expect 1 "there is no stats.json in it" report "$folder/empty" --out "$folder/bad.html"
echo '{' >"$folder/empty/stats.json"
expect 1 "not valid JSON here" report "$folder/1/run" "$folder/empty" --out "$folder/bad.html"
expect 1 "stats.json" report "$folder/1/run" --out "$folder/1/run/stats.json"
expect 1 "bad.html" report "$folder/1/run" --out "$folder/nowhere/bad.html"
[ -e "$folder/bad.html" ] && complain "a page of bad input"
exit $failed

#!/bin/bash
# `strata dram` as users meet it: outputs, messages, exit codes. Usage: dram_cli_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$1"
# refuse CODE TEXT LINES...: a request list of these lines gets exactly one message.
refuse() {
  local code=$1 text=$2
  shift 2
  printf '%s\n' "$@" >"$folder/bad.csv"
  local output
  output=$("$strata" dram "$folder/bad.csv" --timing-set hbm_bl4 --commands "$folder/bad.out" 2>&1)
  local got=$?
  [ $got -eq "$code" ] || complain "$*: exit code $got, not $code: $output"
  [ "$(wc -l <<<"$output")" -eq 1 ] || complain "$*: not one message: $output"
  grep -qF -- "$folder/bad.csv$text" <<<"$output" || complain "$*: no '$text' in: $output"
  [ ! -e "$folder/bad.out" ] || complain "$*: an output was written"
}
header=id,arrive,type,bg,bank,row,col

printf '%s\n' $header 0,0,R,0,0,5,0 1,0,R,0,0,5,1 2,300,W,1,2,7,3 >"$folder/list.csv"
expect 0 "usage: strata dram" dram --help
expect 0 "strata dram requests.csv --timing-set gddr6" dram --help
expect 0 "cycles        312, first arrival to last data" dram "$folder/list.csv" --timing-set hbm_bl4
"$strata" dram "$folder/list.csv" --timing-set hbm_bl4 --commands "$folder/c.csv" --replies "$folder/r.csv" >/dev/null
# hbm_bl4: ACT 1, RD nRCD 7 later, the next nBL 2 later; data nCL 7 + nBL 2. The write: ACT 301, WR 308, data nCWL 2 + 2.
diff "$folder/c.csv" - <<'EOF' || complain "commands"
cycle,cmd,bg,bank,row,col,req
1,ACT,0,0,5,-1,0
8,RD,0,0,5,0,0
10,RD,0,0,5,1,1
301,ACT,1,2,7,-1,2
308,WR,1,2,7,3,2
EOF
diff "$folder/r.csv" - <<'EOF' || complain "replies"
id,arrive,accept,cas_issue,data_end,latency
0,0,0,8,17,17
1,0,1,10,19,18
2,300,300,308,312,12
EOF

# Settings of the controller, and a timing set of one's own.
printf '%s\n' $header 0,0,R,0,0,5,0 1,9000,R,0,0,5,0 >"$folder/two.csv"
expect 0 "REFab 2" dram "$folder/two.csv" --timing-set hbm2 --set refresh=all_bank
expect 0 "REFpb 37" dram "$folder/two.csv" --timing-set hbm2 --set refresh=per_bank
expect 0 "0 hits, 2 misses" dram "$folder/two.csv" --timing-set hbm2 --set page_policy=closed
mkdir "$folder/mine"
sed 's/^name: .*/name: lab/; s/^nCL: *\[7,/nCL: [9,/' platforms/machines/timing_sets/hbm_bl4.yaml >"$folder/mine/lab.yaml"
expect 0 "most 19" dram "$folder/two.csv" --timing-set "$folder/mine/lab.yaml"

# Lists that are none.
: >"$folder/empty.csv"
expect 2 "empty.csv: the request list is empty" dram "$folder/empty.csv" --timing-set hbm_bl4
refuse 2 ":1: the request list has no requests" $header
refuse 2 ":1: the first line must read '$header'" id,arrive,type,bg,bank,row 0,0,R,0,0,5 1,0,R,0,0,5
refuse 2 ":3: expected 7 columns" $header 0,0,R,0,0,5,0 1,0,R,0,0,5
refuse 2 ":3: arrives in cycle 4, before the request above it (5)" $header 0,5,R,0,0,5,0 1,4,R,0,0,5,0
refuse 2 ":2: bank must be a whole number from 0 to 3 with timing set hbm_bl4, not '4'" $header 0,0,R,0,4,5,0
refuse 2 ":2: bg must be a whole number from 0 to 3 with timing set hbm_bl4, not '-1'" $header 0,0,R,-1,0,5,0
refuse 2 ":2: type must be R or W, not 'X'" $header 0,0,X,0,0,5,0
refuse 2 ":2: row must be a whole number" $header 0,0,R,0,0,5.5,0
refuse 2 ":2: arrive must be a whole number from 0 to 1000000000000, not '99999999999999999999'" \
  $header 0,99999999999999999999,R,0,0,5,0
expect 2 "no such file" dram "$folder/none.csv" --timing-set hbm_bl4
expect 2 "is a directory" dram "$folder" --timing-set hbm_bl4

# Timing sets and settings that are none.
expect 1 "did you mean 'hbm_bl4'" dram "$folder/list.csv" --timing-set hbm_b14
expect 1 "--timing-set is missing" dram "$folder/list.csv"
sed 's/^nFAW:/nFAX:/' platforms/machines/timing_sets/hbm_bl4.yaml >"$folder/mine/typo.yaml"
expect 1 "typo.yaml:22:1: unknown timing key 'nFAX' (did you mean 'nFAW'?)" \
  dram "$folder/list.csv" --timing-set "$folder/mine/typo.yaml"
expect 1 "cannot read the timing set" dram "$folder/list.csv" --timing-set "$folder/mine/none.yaml"
expect 1 "did you mean 'refresh'" dram "$folder/list.csv" --timing-set hbm2 --set refrsh=all_bank
expect 1 "did you mean 'all_bank'" dram "$folder/list.csv" --timing-set hbm2 --set refresh=all_banks
expect 1 "needs nREFI and nRFC" dram "$folder/list.csv" --timing-set hbm_bl4 --set refresh=all_bank
expect 1 "expected KEY=VALUE" dram "$folder/list.csv" --timing-set hbm_bl4 --set refresh
expect 1 "has no effect" dram "$folder/list.csv" --timing-set hbm_bl4 --set interleave=row_bank_group_column
expect 1 "read_queue" dram "$folder/list.csv" --timing-set hbm_bl4 --set read_queue=0
expect 1 "name the same file" dram "$folder/list.csv" --timing-set hbm_bl4 --commands "$folder/x" --replies "$folder/x"
expect 1 "cannot write" dram "$folder/list.csv" --timing-set hbm_bl4 --commands "$folder/none/c.csv"
expect 1 "did you mean '--commands'" dram "$folder/list.csv" --timing-set hbm_bl4 --comands c.csv

# The sets on a whole platform, by name and from a folder beside a netlist of one's own, with every kind of refresh.
# Exit code 0 says that all laws hold, the channel found no rule broken, and the run ended although refresh never does.
for row in hbm2:1000 hbm2e:1600 hbm3:1600 gddr6:1750; do
  for refresh in none all_bank per_bank; do
    set=${row%:*}
    expect 0 "DRAM reads" run tiny --trace synthetic:random:loads=16,footprint=1MiB --out "$folder/run" \
      --set mc.timing_set=$set --set ch.timing_set=$set --set "clocks.dram=${row#*:} MHz" --set mc.refresh=$refresh
    count=$(grep -oE '"(bank_)?refreshes": [0-9]+' "$folder/run/stats.json" | awk '{ n += $2 } END { print n + 0 }')
    [ "$refresh" = none ] && [ "$count" -ne 0 ] && complain "$set: $count refreshes without refresh"
    [ "$refresh" != none ] && [ "$count" -lt 2 ] && complain "$set, $refresh: $count refreshes"
  done
done
mkdir "$folder/mine/timing_sets"
cp "$folder/mine/lab.yaml" "$folder/mine/timing_sets/lab.yaml"
sed 's/module: memory_controller,/module: memory_controller, timing_set: lab,/
  s/module: dram_channel,/module: dram_channel, timing_set: lab,/
  s/dram: 924 MHz/dram: 586 MHz/' platforms/machines/tiny/tiny.yaml >"$folder/mine/lab_platform.yaml"
expect 0 "DRAM reads" run "$folder/mine/lab_platform.yaml" --trace synthetic:random:loads=8 --out "$folder/run"
expect 1 "did you mean 'hbm2e'" run tiny --trace synthetic:random:loads=8 --set mc.timing_set=hbm2ee --set ch.timing_set=hbm2ee
expect 1 "'hbm3' and 'gddr5_isca19'" run tiny --trace synthetic:random:loads=8 --set mc.timing_set=hbm3

# Outputs appear whole or not at all: an older file stays when the list is bad.
cp "$folder/c.csv" "$folder/old.csv"
printf '%s\n' $header 0,5,R,0,0,5,0 1,4,R,0,0,5,0 >"$folder/bad.csv"
"$strata" dram "$folder/bad.csv" --timing-set hbm_bl4 --commands "$folder/old.csv" >/dev/null 2>&1
cmp -s "$folder/c.csv" "$folder/old.csv" || complain "a failed run touched an older output"
[ -z "$(find "$folder" -name '*.new.*' -o -name '*.tmp*')" ] || complain "drafts were left behind"
exit $failed

#!/bin/bash
# `strata run --dram-requests`: the run is the same, each format says what the controllers got, and `strata dram` replays it.
# Usage: dram_requests_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$1"

# figure NAME: of the last run's summary.
figure() { grep -oE "\"$1\": [0-9]+" "$folder/out/stats.json" | head -n 1 | sed 's/.* //'; }
# sum NAME: over all instances.
sum() { grep -oE "\"$1\": [0-9]+" "$folder/out/stats.json" | sed 's/.* //' | awk '{ all += $1 } END { print all + 0 }'; }
# Reads that the write queue served have no column command, and are asked for all the same.
asked_reads() { echo $(($(figure dram_read_bursts) + $(sum forwarded_reads))); }
trace=synthetic:random:footprint=4MiB,ctas=8,warps=2,loads=400,stores=0.3,seed=3
run() { "$strata" run "$@" --trace $trace --set llc.size=16KiB --quiet --out "$folder/out" 2>&1 | tail -n 1; }

for p in tiny isca19/shared; do
  without=$(run $p)
  [[ $without =~ ^digest:\ [0-9a-f]{16}$ ]] || complain "$p: no digest: $without"
  for format in strata ramulator2-loadstore ramulator2-readwrite dramsim3; do
    [ "$without" = "$(run $p --dram-requests "$folder/$format" --dram-requests-format $format)" ] ||
      complain "$p: the run differs with requests as $format"
  done
  reads=$(asked_reads) writes=$(figure dram_write_bursts)
  [ "$reads" -gt 0 ] && [ "$writes" -gt 0 ] || complain "$p: $reads reads and $writes writes"
  # Of all controllers: each that the run counted, no more and no less.
  counted() {
    [ "$(grep -cE "$2" "$folder/$1")" = "$reads" ] || complain "$p, $1: not $reads reads"
    [ "$(grep -cE "$3" "$folder/$1")" = "$writes" ] || complain "$p, $1: not $writes writes"
    grep -vE "$2|$3" "$folder/$1"
  }
  [ "$(counted strata '^[0-9]+,[0-9]+,R(,[0-9]+){5},0x[0-9a-f]+,[0-9]+$' '^[0-9]+,[0-9]+,W(,[0-9]+){5},0x[0-9a-f]+,[0-9]+$')" = \
    id,arrive,type,bg,bank,row,col,controller,address,bytes ] || complain "$p: the list has other lines"
  [ -z "$(counted ramulator2-loadstore '^LD 0x[0-9a-f]+$' '^ST 0x[0-9a-f]+$')" ] || complain "$p: LoadStoreTrace"
  [ -z "$(counted ramulator2-readwrite '^R [0-9]+,0(,[0-9]+){4}$' '^W [0-9]+,0(,[0-9]+){4}$')" ] || complain "$p: ReadWriteTrace"
  [ -z "$(counted dramsim3 '^0x[0-9a-f]+ READ [0-9]+$' '^0x[0-9a-f]+ WRITE [0-9]+$')" ] || complain "$p: DRAMsim3"
  sed 's/.* //' "$folder/dramsim3" | sort -nc || complain "$p: not in the order of cycles"
done

# tiny has one controller: its replay sees every request of the run.
run tiny --dram-requests "$folder/tiny.csv" >/dev/null
reads=$(asked_reads) writes=$(figure dram_write_bursts)
expect 0 "requests      $((reads + writes)): $reads reads, $writes writes" dram "$folder/tiny.csv" --timing-set gddr5_isca19
run isca19/shared --dram-requests "$folder/list.csv" >/dev/null
of_three=$(cut -d, -f8 "$folder/list.csv" | grep -cx 3)
expect 0 "controller    3; the list has 7 others" dram "$folder/list.csv" --timing-set gddr5_isca19 --controller 3
expect 0 "requests      $of_three: " dram "$folder/list.csv" --timing-set gddr5_isca19 --controller 3
expect 2 "has no requests of controller 9" dram "$folder/list.csv" --timing-set gddr5_isca19 --controller 9

# By the ending of the file, beside a timeline, and of a run that ends early.
run tiny --dram-requests "$folder/a.dramsim3" --timeline "$folder/a.pftrace" --max-instructions 100000 >/dev/null
grep -q ' READ ' "$folder/a.dramsim3" || complain "the ending .dramsim3 says no format"
[ -s "$folder/a.pftrace" ] || complain "no timeline beside the requests"
expect 0 "column commands of 1 memory controllers, timing set gddr5_isca19" run tiny --trace $trace --out "$folder/out" --dram-requests "$folder/b.csv"

expect 1 "'dramsim' is no format; allowed: strata, ramulator2-loadstore, ramulator2-readwrite, dramsim3" \
  run tiny --trace $trace --out "$folder/out" --dram-requests "$folder/x" --dram-requests-format dramsim
expect 1 "name the file with --dram-requests" run tiny --trace $trace --out "$folder/out" --dram-requests-format strata
expect 1 "cannot write" run tiny --trace $trace --out "$folder/out" --dram-requests "$folder/none/x"
expect 1 "the name of the file is empty" run tiny --trace $trace --out "$folder/out" --dram-requests ""
[ ! -e "$folder/x" ] || complain "a file was written"
exit $failed

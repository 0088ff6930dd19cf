#!/bin/bash
# Kernels of several streams from traces: beside each other, behind each other, and what the results say of them.
# Usage: streams_test.sh PROGRAM
source "$(dirname "$0")/expect.sh"

# trace FOLDER KERNEL...: each kernel is NAME:STREAM:CTAS:LOADS[:SHARED_BYTES]; every load waits for the one before it. What
# is loaded depends on the name, a letter.
trace() {
  local out=$1 number=0 letter name stream ctas loads shared cta load
  shift
  mkdir -p "$out"
  : >"$out/kernelslist.g"
  for kernel in "$@"; do
    IFS=: read -r name stream ctas loads shared <<<"$kernel"
    number=$((number + 1))
    printf -v letter %d "'$name"
    echo "kernel-$number.traceg" >>"$out/kernelslist.g"
    {
      echo "-kernel name = $name"
      echo "-grid dim = ($ctas,1,1)"
      printf -- '-block dim = (32,1,1)\n-shmem = %s\n-nregs = 16\n-binary version = 80\n' "${shared:-0}"
      [ "$stream" = none ] || echo "-cuda stream id = $stream"
      printf -- '-accelsim tracer version = 5\n#traces format = x\n'
      for ((cta = 0; cta < ctas; ++cta)); do
        printf '#BEGIN_TB\nthread block = %d,0,0\nwarp = 0\ninsts = %d\n' $cta $((2 * loads + 1))
        for ((load = 0; load < loads; ++load)); do
          printf '0010 ffffffff 1 R2 LDG.E 1 R2 4 1 0x%x 4\n0020 ffffffff 1 R2 IADD3 1 R2 0\n' \
            $((0x7f0000000000 + letter * 0x1000000 + cta * 0x10000 + load * 128))
        done
        printf '0030 ffffffff 0 EXIT 0 0\n#END_TB\n'
      done
    } >"$out/kernel-$number.traceg"
  done
}
machine=(isca19/shared)
# cycles ARGUMENTS...: of a run on $machine; its results are in $folder/run.
cycles() {
  rm -rf "$folder/run"
  "$strata" run "${machine[@]}" --no-cache --quiet --check-protocol --by-kernel --out "$folder/run" "$@" >/dev/null ||
    complain "run $*"
  sed -n 's/^ *"cycles": \([0-9]*\),*$/\1/p' "$folder/run/stats.json" | head -1
}
# near A B: within 3 %.
near() { [ $((100 * $1)) -le $((103 * $2)) ] && [ $((100 * $1)) -ge $((97 * $2)) ]; }
# columns OF kernels.csv: number, name, first and last cycle.
column() { awk -F, -v k="$1" -v c="$2" '$1 == k { print $c }' "$folder/run/kernels.csv"; }

trace "$folder/one" a:7:8:32
trace "$folder/other" b:8:8:32
trace "$folder/two" a:7:8:32 b:8:8:32
trace "$folder/same" a:7:8:32 b:7:8:32
alone=$(cycles --trace "$folder/one")
together=$(cycles --trace "$folder/one" --trace "$folder/other" --no-repeat)
side_by_side=$(cycles --trace "$folder/two")
near "$side_by_side" "$together" || complain "two streams take $side_by_side cycles, two programs $together"
[ $((10 * side_by_side)) -lt $((13 * alone)) ] || complain "two streams take $side_by_side cycles, one kernel $alone"
head -1 "$folder/run/kernels.csv" | grep -qx 'kernel,name,application,ctas,began,ended,complete,stream,warp_instructions' ||
  complain "columns of kernels.csv: $(head -1 "$folder/run/kernels.csv")"
# 8 CTAs of 32 loads, 32 additions and an exit.
[ "$(column 0 9):$(column 1 9)" = 520:520 ] || complain "warp instructions: $(cat "$folder/run/kernels.csv")"
python=$(command -v python3)
if [ -n "$python" ]; then
  "$python" - "$folder/run" <<'END' || complain "kernels.json of two streams"
import json, sys
kernels = json.load(open(sys.argv[1] + "/kernels.json"))
stats = json.load(open(sys.argv[1] + "/stats.json"))
(group,) = kernels["kernels"]
assert group["name"] == "a + b" and group["launches"] == 2 and group["complete"], group
assert [part["stream"] for part in group["side_by_side"]] == [7, 8], group
assert sum(part["warp_instructions"] for part in group["side_by_side"]) == stats["summary"]["warp_instructions"] == 1040
assert [(one["stream"], one["ctas"]) for one in kernels["streams"]] == [(7, 8), (8, 8)], kernels["streams"]
END
fi

behind=$(cycles --trace "$folder/same")
near "$behind" $((2 * alone)) || complain "one stream twice takes $behind cycles, one kernel $alone"
[ "$(column 1 5)" -ge "$(column 0 6)" ] || complain "the second kernel of a stream began before the first had ended"
head -1 "$folder/run/kernels.csv" | grep -qx 'kernel,name,application,ctas,began,ended,complete' ||
  complain "columns of kernels.csv for one stream: $(head -1 "$folder/run/kernels.csv")"
one_after_the_other=$(cycles --trace "$folder/two" --set cta.max_concurrent_kernels=1)
[ "$one_after_the_other" = "$behind" ] || complain "max_concurrent_kernels=1: $one_after_the_other, not $behind"

# The default stream between the two: three times; a kernel that names no stream is of the default stream.
for default in 0 none; do
  trace "$folder/default_$default" a:7:8:32 c:$default:8:32 b:8:8:32
  got=$(cycles --trace "$folder/default_$default")
  near "$got" $((3 * alone)) || complain "a default stream ($default) between takes $got cycles, one kernel $alone"
done

# Three streams of unequal size, one of two kernels.
trace "$folder/three" a:1:8:8 b:2:8:32 c:3:8:16 d:1:8:16
got=$(cycles --trace "$folder/three")
[ $((10 * got)) -lt $((13 * alone)) ] || complain "three streams take $got cycles, the longest of them $alone"
[ "$(column 3 5)" = "$(column 0 6)" ] || complain "the second kernel of stream 1 does not begin with the end of the first"
if [ -n "$python" ]; then
  "$python" - "$folder/run" <<'END' || complain "sums over kernels"
import json, sys
kernels = json.load(open(sys.argv[1] + "/kernels.json"))
stats = json.load(open(sys.argv[1] + "/stats.json"))
for name in ("warp_instructions", "thread_instructions", "l1_accesses", "dram_reads"):
    assert sum(k["summary"][name] for k in kernels["kernels"]) == stats["summary"][name], name
END
fi

# Each CTA takes all shared memory of its SM, and there are as many as SMs: nothing is left over.
trace "$folder/full" a:1:80:8:65536 b:2:80:8:65536
trace "$folder/full_same" a:1:80:8:65536 b:1:80:8:65536
full=$(cycles --trace "$folder/full")
full_same=$(cycles --trace "$folder/full_same")
near "$full" "$full_same" || complain "two kernels that fill the machine take $full cycles, in one stream $full_same"

# Streams take the time of their kernels as applications of their own, within 5 %, on several machines: applications have
# a share of each cluster's SMs, so that there are several in one, and kernels have as many CTAs as that share has SMs.
# close WHAT GOT WANTED
close() {
  [ $((100 * $2)) -le $((105 * $3)) ] && [ $((100 * $2)) -ge $((95 * $3)) ] || complain "${machine[0]}: $1: $2 cycles, not $3"
}
# sums: of what kernels and streams of the last run have got, beside the whole.
sums() {
  [ -n "$python" ] || return 0
  "$python" - "$folder/run" <<'END' || complain "${machine[0]}: sums over kernels"
import csv, json, sys
kernels = json.load(open(sys.argv[1] + "/kernels.json"))
total = json.load(open(sys.argv[1] + "/stats.json"))["summary"]
launches = list(csv.DictReader(open(sys.argv[1] + "/kernels.csv")))
assert sum(int(one["warp_instructions"]) for one in launches) == total["warp_instructions"], launches
for name in ("ctas", "warp_instructions"):
    assert sum(one[name] for one in kernels["streams"]) == sum(int(one[name]) for one in launches), name
counts = [name for name in ("warp_instructions", "thread_instructions", "l1_accesses", "l1_hits", "l1_misses", "l1_merges",
                            "l1_stores", "l1_sectors", "l1_missed_sectors", "llc_accesses", "llc_hits", "llc_misses", "llc_merges",
                            "llc_sectors", "llc_missed_sectors", "dram_reads", "dram_writes", "dram_read_bursts",
                            "dram_write_bursts") if name in total]
assert len(counts) >= 12, counts
for name in counts:
    parts = [group["summary"].get(name, 0) for group in kernels["kernels"]]
    assert sum(parts) == total[name], (name, parts, total[name])
END
}
for shape in "isca19/shared:8:10" "qv100:20:4" "tiny:1:4"; do
  IFS=: read -r name clusters sms <<<"$shape"
  machine=("$name" --set "sm.count=$clusters" --set "sm.sms=$sms")
  half=$((clusters * sms / 2)) third=$((clusters * (sms / 3)))
  # Of one size, and of two.
  for other in "$half:32" "$((half / 2)):20"; do
    trace "$folder/first" a:7:$half:32
    trace "$folder/second" b:8:$other
    trace "$folder/both" a:7:$half:32 b:8:$other
    apart=$(cycles --trace "$folder/first" --trace "$folder/second" --no-repeat)
    close "two streams, of $half:32 and $other CTAs and loads" "$(cycles --trace "$folder/both")" "$apart"
    sums
  done
  # Three streams.
  trace "$folder/first" a:1:$third:24
  trace "$folder/second" b:2:$third:32
  trace "$folder/third" c:3:$third:12
  trace "$folder/all" a:1:$third:24 b:2:$third:32 c:3:$third:12
  apart=$(cycles --trace "$folder/first" --trace "$folder/second" --trace "$folder/third" --no-repeat)
  close "three streams" "$(cycles --trace "$folder/all")" "$apart"
  sums
  # The kernel behind the event waits for the longer of the two before it, b: they take the time of two applications, and
  # the last one its own time.
  trace "$folder/event" a:1:$half:12 b:2:$half:32 c:1:$half:16
  printf 'kernel-1.traceg\nkernel-2.traceg\ncudaEventRecord,5,2\ncudaStreamWaitEvent,1,5\nkernel-3.traceg\n' >"$folder/event/kernelslist.g"
  trace "$folder/first" a:1:$half:12
  trace "$folder/second" b:2:$half:32
  trace "$folder/third" c:1:$half:16
  before=$(cycles --trace "$folder/first" --trace "$folder/second" --no-repeat)
  behind=$(cycles --trace "$folder/third")
  close "an event" "$(cycles --trace "$folder/event")" $((before + behind))
  [ "$(column 2 5)" -ge "$(column 1 6)" ] || complain "$name: the kernel behind the event begins before it"
  sums
  # Each kernel fills the machine; of the two that wait the one of the higher priority goes first, though it is launched last.
  full=$((2 * half))
  memory=$([ "$name" = qv100 ] && echo 98304 || echo 65536)
  trace "$folder/filled" a:1:$full:16:$memory
  trace "$folder/priority" a:1:$full:16:$memory b:2:$full:16:$memory c:3:$full:16:$memory
  { echo 'cudaStreamCreateWithPriority,2,1,0'; echo 'cudaStreamCreateWithPriority,3,1,-1'; cat "$folder/priority/kernelslist.g"; } >"$folder/list"
  mv "$folder/list" "$folder/priority/kernelslist.g"
  one=$(cycles --trace "$folder/filled")
  close "priorities" "$(cycles --trace "$folder/priority")" $((3 * one))
  [ "$(column 2 6)" -le "$(column 1 6)" ] || complain "$name: the kernel of lower priority ends first"
  sums
done

# Private and adaptive LLCs keep kernels apart where they must.
for platform in private adaptive; do
  "$strata" run isca19/$platform --trace "$folder/three" --no-cache --quiet --check-protocol --out "$folder/llc" >/dev/null ||
    complain "three streams on isca19/$platform"
  rm -rf "$folder/llc"
done
exit $failed

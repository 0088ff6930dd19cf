#!/bin/bash
# `strata run --by-launch` and `--cold-launches`: a kernel that is launched twice finds its lines the second time, or finds
# nothing; what launches have got adds up to the run; streams are serialised. Usage: by_launch_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$1"

# trace FOLDER STREAM...: a launch each of one kernel. 2 CTAs of one warp; each loads two lines, a sector of 32 B of the first
# and all four of the second, and stores to one sector of a third. The second CTA has lines of its own.
trace() {
  local out=$1 number=0 stream cta base
  shift
  mkdir -p "$out"
  for stream in "$@"; do
    number=$((number + 1))
    echo "kernel-$number.traceg" >>"$out/kernelslist.g"
    {
      printf -- '-kernel name = _Z4copyPfi\n-grid dim = (2,1,1)\n-block dim = (32,1,1)\n-shmem = 256\n-nregs = 24\n-binary version = 80\n'
      printf -- '-cuda stream id = %s\n-accelsim tracer version = 5\n#traces format = x\n' "$stream"
      for cta in 0 1; do
        base=$((0x7f0000000000 + cta * 4096))
        printf '#BEGIN_TB\nthread block = %d,0,0\nwarp = 0\ninsts = 5\n' $cta
        printf '0010 000000ff 1 R2 LDG.E 1 R4 4 1 0x%x 4\n' $base
        printf '0020 ffffffff 1 R3 LDG.E 1 R4 4 1 0x%x 4\n' $((base + 128))
        printf '0030 ffffffff 1 R2 IADD3 2 R2 R3 0\n'
        printf '0040 000000ff 0 STG.E 2 R4 R2 4 1 0x%x 4\n' $((base + 256))
        printf '0050 ffffffff 0 EXIT 0 0\n#END_TB\n'
      done
    } >"$out/kernel-$number.traceg"
  done
}
run() { "$strata" run "$@" --no-cache --out "$folder/out" >"$folder/said" 2>&1 || complain "$*: $(cat "$folder/said")"; }
digest() { "$strata" run "$@" --no-cache --quiet --out "$folder/out" 2>&1 | tail -n 1; }
# column NAME: of by_launch.csv, launch by launch. Names of kernels are quoted and have commas: they are cut off.
column() {
  sed -E 's/^([0-9]+),"[^"]*",/\1,x,/' "$folder/out/by_launch.csv" |
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) c = i; next } { printf "%s%s", sep, $c; sep = " " } END { print "" }'
}
is() { [ "$2" = "$3" ] || complain "$1: $2, not $3"; }
summary() { sed -n "s/^ *\"$1\": \([0-9.]*\),*\$/\1/p" "$folder/out/stats.json" | head -1; }
added() { local sum=0 one; for one in $(column "$1"); do sum=$((sum + one)); done; echo $sum; }

trace "$folder/twice" 0 0
machine=(tiny --trace "$folder/twice")

# Warm: LLC lines stay, the second launch fetches nothing from DRAM. L1s are flushed between kernels anyway.
run "${machine[@]}" --by-launch
is "kernel" "$(sed -n 2p "$folder/out/by_launch.csv" | cut -d '"' -f 2)" "copy(float*, int)"
is "grid, block, registers, shared memory" "$(column grid) $(column block) $(column registers) $(column shared_bytes)" "2x1x1 2x1x1 32x1x1 32x1x1 24 24 256 256"
# 2 CTAs of 5 warp instructions: 8 + 32 + 32 + 8 + 32 threads.
is "warp instructions" "$(column warp_instructions)" "10 10"
is "thread instructions" "$(column thread_instructions)" "224 224"
# 2 CTAs: loads of 1 and 4 sectors, a store of 1.
is "load sectors" "$(column global_load_sectors)" "10 10"
is "store sectors" "$(column global_store_sectors)" "2 2"
is "store sectors of the LLC" "$(column llc_write_sectors)" "2 2"
is "second launch: reads that hit" "$(column llc_read_hit_rate | cut -d ' ' -f 2)" 1.000000
is "second launch: DRAM reads" "$(column dram_read_sectors | cut -d ' ' -f 2)" 0
read -r first second <<<"$(column cycles)"
[ "$second" -lt "$first" ] || complain "warm: the second launch takes $second cycles, the first $first"
# The sums are the run's. A burst of tiny is 32 B or a multiple; counters say bytes.
bytes() { grep -oE "\"$1\": [0-9]+" "$folder/out/stats.json" | sed 's/.* //' | awk '{ all += $1 } END { print all / 32 }'; }
sums() {
  is "$1: warp instructions" "$(added warp_instructions)" "$(summary warp_instructions)"
  is "$1: thread instructions" "$(added thread_instructions)" "$(summary thread_instructions)"
  is "$1: DRAM reads" "$(added dram_read_sectors)" "$(bytes bytes_read)"
  is "$1: DRAM writes" "$(added dram_write_sectors)" "$(bytes bytes_written)"
  local sectors
  sectors=$(grep -oE '"sectors": [0-9]+' "$folder/out/stats.json" | sed 's/.* //' | awk '{ all += $1 } END { print all }')
  is "$1: sectors of SMs" $(($(added global_load_sectors) + $(added global_store_sectors) + $(added global_atomic_sectors))) "$sectors"
}
sums warm

# Cold: both launches are equal in every column but their number. The two nodes of a cluster share links, whose arbiters keep
# their turns from launch to launch: there cycles may differ.
for platform in tiny qv100 isca19/shared isca19/adaptive hpca21/clustered_nodes; do
  run $platform --trace "$folder/twice" --by-launch --cold-launches
  rows=$(sed -n '2,$s/^[0-9]*,//p' "$folder/out/by_launch.csv")
  is "$platform: rows" "$(wc -l <<<"$rows")" 2
  [ $platform = hpca21/clustered_nodes ] && rows=$(sed -E 's/,yes,[0-9]+,/,yes,/; s/,[^,]*$//' <<<"$rows")
  is "$platform: cold launches that differ" "$(sort -u <<<"$rows" | wc -l)" 1
  is "$platform: reads that hit" "$(column llc_read_hit_rate)" "0.000000 0.000000"
  sums "$platform, cold"
done
# The first is that of a warm run; the configuration holds the setting.
run "${machine[@]}" --by-launch --cold-launches
is "cold cycles" "$(column cycles)" "$first $first"
grep -q 'launches: cold' "$folder/out/config.yaml" || complain "config.yaml does not say launches: cold"
cold=$(digest "${machine[@]}" --cold-launches)
cp "$folder/out/config.yaml" "$folder/cold.yaml"
is "from its config.yaml" "$(digest "$folder/cold.yaml" --trace "$folder/twice")" "$cold"
# Open rows are closed and dirty lines dropped without traffic where launches have many: sums hold, laws are checked.
run qv100 --workload bfs@tiny --by-launch --cold-launches
sums "bfs, cold"
run isca19/shared --workload gemm@tiny --by-launch --cold-launches --set mc.refresh=all_bank --check-protocol
sums "gemm, cold"

# Looking on changes nothing.
for one in "tiny --workload bfs@tiny" "qv100 --workload spmv@tiny" "hpca21/clustered_nodes --workload gemm@tiny"; do
  # shellcheck disable=SC2086 # words
  is "$one --by-launch" "$(digest $one --by-launch)" "$(digest $one)"
done

# Streams: side by side their rows lack what cannot be parted, cold they are serialised.
trace "$folder/streams" 7 8
run isca19/shared --trace "$folder/streams" --by-launch
grep -q 'by_launch.csv: 2 launches overlapped others' "$folder/said" || complain "side by side: $(cat "$folder/said")"
is "side by side" "$(column warp_instructions):$(column dram_read_sectors)" "10 10: "
run isca19/shared --trace "$folder/streams" --by-launch --cold-launches
grep -qx 'strata: --cold-launches: the 2 launches of 2 streams run one after the other' "$folder/said" ||
  complain "streams: $(cat "$folder/said")"
is "streams, cold" "$(column stream) $(column cycles | tr ' ' '\n' | sort -u | wc -l)" "7 8 1"

# What cannot be.
expect 1 "--cold-launches: traffic generators launch no kernels" run isca19/traffic_shared --cold-launches --out "$folder/none"
expect 1 "--by-launch: traffic generators run no kernels" run isca19/traffic_shared --by-launch --out "$folder/none"
expect 1 "launches: cold: caches that several applications share" run tiny --set sm.sms=2 --cold-launches --out "$folder/none" \
  --trace synthetic:random:ctas=1,loads=4 --trace synthetic:random:ctas=1,loads=4
expect 1 "run.data: carried" run tiny --set run.data=carried --trace "$folder/twice" --cold-launches --out "$folder/none"
exit $failed

#!/usr/bin/env bash
# application_test.sh STRATA MAKE_FAT_BINARY DRIVER_HOST LIBRARY_HOST HOST_LIBRARY COMPILER_LIBRARY HOST...: `strata app` from the outside, on applications made without nvcc.
source tb/system/expect.sh
make=$2
driver_host=$3
library_host=$4
host_library=$5
compiler_library=$6
hosts=("${@:7}") # of each version, with the runtime library beside it and in it
host=${hosts[-2]} static_host=${hosts[-1]}
kernels=tb/applications

for pack in plain lz4 zstd; do
  "$make" --pack $pack "$folder/$pack" $kernels/kernels.ptx || complain "make_fat_binary --pack $pack"
done
[ "$(stat -c %s "$folder/lz4")" -lt "$(stat -c %s "$folder/plain")" ] || complain "LZ4 saves nothing"
"$make" "$folder/a" $kernels/linked_a.ptx
"$make" --pack zstd "$folder/b" $kernels/linked_b.ptx
"$make" "$folder/saxpy" traces/samples/saxpy/saxpy.ptx
printf '\x50\xed\x55\xba\x01\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00' >"$folder/none"

# Every runtime library, every packing: results are right, and calls answer as on a GPU.
for one in "${hosts[@]}"; do
  for pack in plain lz4 zstd; do expect 0 "scale: right" app -- "$one" scale "$folder/$pack"; done
  expect 0 "linked: right" app -- "$one" linked "$folder/a" "$folder/b"
  expect 0 "errors: right" app -- "$one" errors "$folder/lz4"
done
expect 0 "errors: right" app --device h100 -- "$host" errors "$folder/plain" # which is newer than the PTX
expect 0 "cudaIpcGetMemHandle is not there" app -- "$host" errors "$folder/plain"
expect 0 "more: right" app -- "$host" more "$folder/plain"
expect 0 "block 1: 1.5 says" app -- "$host" more "$folder/plain"

# What a program launches, as a trace for Accel-Sim: the run of its record.
expect 0 "2 kernels, 16 CTAs" trace export --out "$folder/exported" -- "$host" scale "$folder/plain"
"$strata" app --record "$folder/scale.strata" -- "$host" scale "$folder/plain" >/dev/null 2>&1
for trace in "$folder/scale.strata" "$folder/exported"; do
  "$strata" run tiny --trace "$trace" --quiet --no-cache --out "$folder/out" >"$folder/digest_$(basename "$trace")"
done
grep -q digest "$folder/digest_exported" || complain "the exported trace does not run"
cmp "$folder/digest_scale.strata" "$folder/digest_exported" || complain "the exported trace runs differently"
expect 1 "has launched no kernel that Strata runs" trace export --out "$folder/none_launched" -- /bin/true
[ ! -e "$folder/none_launched" ] || complain "a trace without kernels"

# A program, and a library that it loads, that hold the runtime library themselves; in one the calls cannot be found.
expect 0 "more: right" app -- "$static_host" more "$folder/plain"
expect 0 "cudaIpcGetMemHandle is not there" app -- "$static_host" errors "$folder/plain"
expect 0 "scale: right" app -- "$library_host" "$host_library" scale "$folder/plain"
strip -o "$folder/stripped" "$static_host"
expect 2 "link it with -cudart shared, or do not strip it" app -- "$folder/stripped" scale "$folder/plain"

# A program of the driver library, with fat binaries and PTX.
for image in "$folder/plain" "$folder/zstd" $kernels/kernels.ptx; do
  expect 0 "scale: right" app -- "$driver_host" scale "$image"
done
expect 0 "scale                                               2" app -- "$driver_host" scale "$folder/plain"
expect 0 "linked: right" app -- "$driver_host" linked $kernels/linked_a.ptx $kernels/linked_b.ptx
# What a run-time compiler made for the machine it gives as PTX, and the program hears of no runtime library.
expect 0 "compiled: right" app -- "$driver_host" compiled "$compiler_library" $kernels/kernels.ptx
expect 0 "graphs: right" app -- "$driver_host" graphs "$folder/plain"
expect 0 "batches: right" app -- "$driver_host" batches "$folder/plain"
expect 0 "mapping: right" app -- "$driver_host" mapping "$folder/plain"
expect 2 "st.global.f32: memory mapped to be read cannot be written" app -- "$driver_host" mapping-fault "$folder/plain"
expect 0 "mip-maps: right" app -- "$driver_host" mip-maps "$folder/plain"
expect 0 "tensors: right" app -- "$driver_host" tensors "$folder/plain"
expect 0 "values: right" app -- "$driver_host" values "$folder/plain"
expect 2 "a stream waits for the value 5 in memory, which is never written" app -- "$driver_host" values-without "$folder/plain"
expect 0 "pools: right" app -- "$driver_host" pools -
expect 0 "arrays: right" app -- "$driver_host" arrays -
expect 0 "calls: right" app -- "$driver_host" calls -
expect 0 "cuIpcGetMemHandle is not there; the program gets CUDA_ERROR_NOT_SUPPORTED" app -- "$driver_host" calls -
expect 2 "module-1.ptx:1" app -- "$driver_host" no-ptx -
expect 2 "kernel outside, thread block (1,0,0), thread (3,0,0)" app -- "$driver_host" fault "$folder/plain"

# The summary: two launches of 1000 threads, 8 blocks of 128.
expect 0 "scale                                               2" app -- "$host" scale "$folder/plain"

# A record of an application is that of the equal workload.
expect 0 "1 launches" app --record "$folder/saxpy.strata" -- "$host" saxpy "$folder/saxpy"
expect 0 "sound: 1 kernels, 4 CTAs" trace check "$folder/saxpy.strata"
wanted=$("$strata" run tiny --workload traces/samples/saxpy/saxpy.yaml@tiny --out "$folder/w" --quiet)
got=$("$strata" run tiny --trace "$folder/saxpy.strata" --out "$folder/r" --quiet)
[ -n "$wanted" ] && [ "$got" = "$wanted" ] || complain "application: $got, workload: $wanted"
got=$("$strata" app --platform tiny --out "$folder/p" --quiet -- "$host" saxpy "$folder/saxpy" | tail -1)
[ "$got" = "$wanted" ] || complain "app --platform: $got, workload: $wanted"
# What `strata run` says of a simulation, `strata app` says, too.
"$strata" app --platform tiny --out "$folder/more" --what-if --by-kernel --energy -- "$host" saxpy "$folder/saxpy" >"$folder/said" 2>&1
for text in "^what if: about twice the" "^measured: all of the run: " "^energy"; do
  grep -q "$text" "$folder/said" || complain "app --platform --what-if --energy: no '$text' in $(cat "$folder/said")"
done
[ -s "$folder/more/kernels.json" ] && [ -s "$folder/more/what_if.json" ] || complain "app: no kernels.json or what_if.json"
expect 0 "by source, the longest stalls first" app --platform tiny --out "$folder/lines" --by-source -- "$host" saxpy "$folder/saxpy"
grep -q '^"saxpy.*,ld.global' "$folder/lines/by_source.csv" || complain "app --by-source: $(cat "$folder/lines/by_source.csv")"

# Graphs whose nodes allocate and free, and whose nodes run or not by what kernels say: 5 and 3 times. Mip maps.
for one in "${hosts[@]}"; do
  expect 0 "graph-memory: right" app -- "$one" graph-memory "$folder/plain"
  expect 0 "conditions: right" app -- "$one" conditions "$folder/plain"
  expect 0 "graph-edits: right" app -- "$one" graph-edits "$folder/plain"
  expect 0 "mip-maps: right" app -- "$one" mip-maps "$folder/plain"
  expect 0 "clusters: right" app -- "$one" clusters "$folder/plain"
  expect 0 "batches: right" app -- "$one" batches "$folder/plain"
  expect 0 "waits: right" app -- "$one" waits "$folder/plain"
done
# A ring of thread blocks that read each other's shared memory: without a network between SMs the run says so, with one they go there.
expect 0 "without a network: 32 accesses cost an access to the own shared memory" app --platform tiny --out "$folder/ring" -- "$host" clusters "$folder/plain"
"$strata" app --platform tiny --with tiny/variants/dsmem --out "$folder/ring" -- "$host" clusters "$folder/plain" >"$folder/ring.txt" 2>&1
grep -q "clusters: right" "$folder/ring.txt" || complain "clusters over a network: $(cat "$folder/ring.txt")"
grep -q "without a network" "$folder/ring.txt" && complain "clusters: there is a network"
grep -q '"dsmem_loads": 32' "$folder/ring/stats.json" || complain "clusters: other loads than 32 went to other SMs"
expect 1 "it goes to the shared memory of another thread block of its cluster, which sm_cluster, dsmem: refuse does not allow" app --platform tiny --set sm.dsmem=refuse -- "$host" clusters "$folder/plain"
# Lanes, streams and the host wait for each other: parts left out of the record are reported, and the record is whole.
expect 0 "kernel locks has loops that wait" app --record "$folder/waits.strata" -- "$host" waits "$folder/plain"
expect 0 "sound: 12 kernels, 13 CTAs" trace check "$folder/waits.strata"
"$strata" run isca19/shared --trace "$folder/waits.strata" --out "$folder/waits" --quiet >"$folder/waits.txt" 2>&1 || complain "waits: $(cat "$folder/waits.txt")"
# Launch 4 waits for an event behind launch 3; launch 3 is behind 1, in its stream; 6 is one of the default stream behind 5.
for pair in 1:3 3:4 2:4 5:6; do
  awk -F, -v a="${pair%:*}" -v b="${pair#*:}" '$1 == a { ended = $6 } $1 == b { began = $5 } END { exit began < ended }' "$folder/waits/kernels.csv" ||
    complain "waits: launch ${pair#*:} begins before launch ${pair%:*} has ended"
done
expect 2 "kernel waits, thread block (0,0,0), thread (0,0,0), PC 32: ld.volatile.global.u32: no end: this loop waits for a value that is never written" app --record "$folder/ever.strata" -- "$host" waits-for-ever "$folder/plain"
# What has ended beside it is recorded, and what is launched after a reset.
expect 0 "sound: 2 kernels, 3 CTAs" trace check "$folder/ever.strata"
expect 0 "counts                                              8" app -- "$host" conditions "$folder/plain"

# Streams: launches by number, as runtime_host_streams.c says. A simulation keeps one behind another, and beside it what may be.
for one in "${hosts[@]}"; do
  expect 0 "streams: right" app --platform isca19/shared --out "$folder/streams" --quiet -- "$one" streams "$folder/plain"
  began() { awk -F, -v k="$1" '$1 == k { print $5 }' "$folder/streams/kernels.csv"; }
  ended() { awk -F, -v k="$1" '$1 == k { print $6 }' "$folder/streams/kernels.csv"; }
  for pair in 0:2 1:2 0:3 3:4 2:5 4:5 5:6 5:7 6:8 7:8 8:9 8:10 9:11 10:11 11:12; do
    [ "$(began "${pair#*:}")" -ge "$(ended "${pair%:*}")" ] || complain "streams: launch ${pair#*:} begins before launch ${pair%:*} has ended"
  done
  for pair in 0:1 2:3 6:7 9:10; do
    [ "$(began "${pair#*:}")" -lt "$(ended "${pair%:*}")" ] && [ "$(began "${pair%:*}")" -lt "$(ended "${pair#*:}")" ] ||
      complain "streams: launches ${pair%:*} and ${pair#*:} do not run side by side"
  done
  rm -rf "$folder/streams"
done

# Kernels that kernels launch are launches of their own: 2 times 7.
expect 0 "nested: right" app --record "$folder/nested.strata" -- "$host" nested "$folder/plain"
expect 0 "sound: 14 kernels, 14 CTAs" trace check "$folder/nested.strata"

# Two programs, one after the other: the second goes on with the dictionary of the first.
printf '#!/bin/sh\n"$1" saxpy "$2/saxpy" && "$1" scale "$2/plain" && "$1" saxpy "$2/saxpy"\n' >"$folder/both"
chmod +x "$folder/both"
expect 0 "4 launches" app --record "$folder/both.strata" -- "$folder/both" "$host" "$folder"
expect 0 "sound: 4 kernels, 24 CTAs" trace check "$folder/both.strata"

# Parts of it.
expect 0 "1 launches" app --record "$folder/part.strata" --launches 1:1 -- "$host" scale "$folder/plain"
expect 0 "sound: 1 kernels, 8 CTAs" trace check "$folder/part.strata"
expect 1 "no launch was recorded" app --record "$folder/none.strata" --kernels 'gemm|conv' -- "$host" scale "$folder/plain"
[ ! -e "$folder/none.strata" ] || complain "a record without launches was written"
expect 0 "2 launches" app --record "$folder/part.strata" --kernels '^sc.le$' -- "$host" scale "$folder/plain"
expect 0 "its first thread blocks are recorded" app --record "$folder/part.strata" --max-instructions 1000 -- "$host" scale "$folder/plain"
expect 0 "sound: 1 kernels, 1 CTAs" trace check "$folder/part.strata"
expect 0 "scale: right" app --ptx "$folder/ptx" -- "$host" scale "$folder/zstd"
cmp -s "$folder/ptx/module-1.ptx" $kernels/kernels.ptx || complain "--ptx writes another text"

# A kernel that cannot go on: what, where, and the record up to there. `outside` faults in its second block.
expect 2 "launch 2: module-1.ptx:53: kernel outside, thread block (1,0,0), thread (3,0,0)" app -- "$host" fault "$folder/plain"
expect 2 "3 launches" app --record "$folder/fault.strata" -- "$host" fault "$folder/plain"
expect 0 "sound: 3 kernels, 17 CTAs" trace check "$folder/fault.strata"
expect 2 "kernel refused: unsupported instruction 'unknown.instruction.u32'" app -- "$host" refused "$folder/plain"
expect 2 "refused: right" app -- "$host" refused "$folder/plain"
expect 2 "-gencode arch=compute_80,code=compute_80" app -- "$host" no-ptx "$folder/none"

# Programs that end badly, or are none.
expect 2 "was ended by signal 6" app --record "$folder/crash.strata" -- "$host" crash "$folder/plain"
expect 0 "sound: 2 kernels, 16 CTAs" trace check "$folder/crash.strata"
expect 1 "ended with exit code 7" app -- "$host" ends-with-7 "$folder/plain"
expect 1 "cannot be started: No such file" app -- "$folder/no-such-program"
expect 1 "has used no CUDA library of Strata" app -- /bin/true
expect 1 "no program is given" app --record "$folder/x.strata"
expect 1 "no option '--recrod' (did you mean '--record'?)" app --recrod x -- "$host" scale "$folder/plain"
expect 1 "no 'h10' in" app --device h10 -- "$host" scale "$folder/plain"
expect 1 "did you mean 'h100'" app --device h10 -- "$host" scale "$folder/plain"
expect 1 "--kernels: '(' is no regular expression" app --kernels '(' -- "$host" scale "$folder/plain"
expect 1 "--launches: expected FIRST:LAST" app --launches 7 -- "$host" scale "$folder/plain"
expect 1 "exclude each other" app --record x --platform tiny -- "$host" scale "$folder/plain"

# Ctrl-C keeps what is there.
"$strata" app --record "$folder/stopped.strata" -- "$host" for-ever "$folder/plain" >"$folder/stopped.txt" 2>&1 &
sleep 2
kill -INT $!
wait $!
[ $? -eq 130 ] || complain "Ctrl-C: exit code is not 130: $(cat "$folder/stopped.txt")"
expect 0 "sound" trace check "$folder/stopped.strata"
exit $failed

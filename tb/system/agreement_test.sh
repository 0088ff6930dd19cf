#!/bin/bash
# What both ends of a link, a timing set and its clock, a block and its clock must agree on; and that every value of
# the documented ranges gives a machine that keeps its laws or is refused in words.
# Usage: agreement_test.sh PROGRAM
source "$(dirname "$0")/expect.sh"
vectors=(--trace traces/samples/vectoradd_160 --quiet --out "$folder/run")
chase=(--trace traces/samples/chase_8K --out "$folder/run")
traffic=(--set gen.accesses=200 --quiet --out "$folder/run" --check-protocol)

# Routers on one link: flits of one width, packets of one length. The fault names the binding and both values.
expect 1 "differ in channel_bytes: '32 bytes' and '16 bytes'" run selrep20/shared "${vectors[@]}" --set mcr.channel_bytes=16
expect 1 "differ in header_bytes: '8 bytes' and '64 bytes'" run selrep20/shared "${vectors[@]}" --set mcr.header_bytes=64
expect 1 "shared.yaml:14:5: smr[0].out[0] -> mcr[0].in[0]:" run isca19/shared "${vectors[@]}" --set smr.channel_bytes=16 --set mcr.vc_flits=4
expect 1 "differ in channel_bytes: '32 bytes' and '5 bytes'" run selrep20/adaptive "${vectors[@]}" --set mcr.channel_bytes=5
expect 0 "digest" run selrep20/shared "${vectors[@]}" --set smr.channel_bytes=16 --set mcr.channel_bytes=16
expect 0 "digest" run selrep20/adaptive --workload lud@tiny --quiet --out "$folder/run" --set smr.channel_bytes=5 --set mcr.channel_bytes=5
expect 1 "differ in channel_bytes" run selrep20/shared "${vectors[@]}" --set 'mcr[3].channel_bytes=64'

# A timing set counts in cycles of its own clock, unless the platform says that they are to be stretched.
expect 1 "mc runs at 924 MHz (clock 'dram'), but timing set 'hbm3' is written for 1600 MHz" run tiny "${chase[@]}" \
  --set mc.timing_set=hbm3 --set ch.timing_set=hbm3
expect 0 "digest" run tiny "${chase[@]}" --set mc.timing_set=hbm3 --set ch.timing_set=hbm3 --set clocks.dram=1600MHz
expect 0 "digest" run tiny "${chase[@]}" --set mc.timing_set=hbm3 --set ch.timing_set=hbm3 --set mc.rescale_timing=true
expect 1 "differ in clock: 'core, 1400 MHz' and 'dram, 924 MHz'" run tiny "${chase[@]}" --set mc.clock=core --set mc.rescale_timing=true
expect 1 "mc.rescale_timing = true" run tiny "${chase[@]}" --set clocks.dram=462MHz

# Control blocks count in core cycles.
expect 1 "a cta_dispatcher counts in cycles of the clock 'core'" run tiny "${chase[@]}" --set cta.clock=dram

# SMs of another clock: twice as fast, a run takes less time, but not less than half of it; cycles are core cycles.
cycles() {
  "$strata" run "$@" "${chase[@]}" | awk '/^  cycles / { gsub(/[^0-9]/, ""); print }'
}
plain=$(cycles tiny)
fast=$(cycles tiny --set clocks.own=2800MHz --set sm.clock=own)
slow=$(cycles tiny --set clocks.own=466666667Hz --set sm.clock=own)
kernel=$(tail -n 1 "$folder/run/kernels.csv")
[ $((plain / 2)) -lt "$fast" ] && [ "$fast" -lt "$plain" ] || complain "$plain cycles, with SMs twice as fast $fast"
[ "$plain" -lt "$slow" ] && [ "$slow" -lt $((plain * 3)) ] || complain "$plain cycles, with SMs of a third of the clock $slow"
grep -qE "(^|,)$slow(,|$)" <<<"$kernel" || complain "the only kernel of $slow cycles is written down as: $kernel"

# The port of an L1 that takes an access every so many cycles, and credits that come back late.
for port in 1 2 7 42 64; do
  expect 0 "digest" run tiny --workload gemm@tiny --quiet --out "$folder/run" --set l1.port_cycles=$port --check-protocol
  expect 0 "digest" run isca19/traffic_shared "${traffic[@]}" --set l1.port_cycles=$port
done
for delay in 3 4 5 16 255; do
  for direction in in out; do
    expect 0 "digest" run isca19/traffic_shared "${traffic[@]}" --set mcr.${direction}_credit_delay=$delay
    expect 0 "digest" run isca19/traffic_shared "${traffic[@]}" --set smr.${direction}_credit_delay=$delay --set smr.vcs=2
  done
done

# Buffers shorter than a packet, the narrowest channels and the longest headers, in every kind of network.
for network in vcs=1 vcs=3 queues=voq speedup=3 flit_exact=true hold_switch=true; do
  for size in "vc_flits=1" "vc_flits=3" "channel_bytes=4" "channel_bytes=4 vc_flits=1" "channel_bytes=1024 vc_flits=1" \
    "header_bytes=64 vc_flits=2" "link_latency=0 pipeline=1" "link_latency=0 pipeline=1 vc_flits=1 channel_bytes=4" \
    "link_latency=255"; do
    sets=()
    for set in $network $size; do sets+=(--set "smr.$set" --set "mcr.$set"); done
    expect 0 "digest" run isca19/traffic_shared --set gen.accesses=20 --quiet --out "$folder/run" --check-protocol "${sets[@]}"
  done
done

# The end of a limited run says nothing of SystemC.
output=$("$strata" run isca19/shared --workload gemm@tiny --max-instructions 200000 --out "$folder/run" 2>&1)
grep -qiE "warning|activity" <<<"$output" && complain "a limited run warns: $output"
output=$("$strata" run isca19/multi --workload gemm@tiny --workload nn@tiny --max-instructions 200000 --out "$folder/run" 2>&1)
grep -qiE "warning|activity" <<<"$output" && complain "a limited run of two programs warns: $output"
exit $failed

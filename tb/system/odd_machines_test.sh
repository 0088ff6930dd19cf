#!/bin/bash
# Valid machines that random trials (tb/machines) found to fail: each runs with all its laws, or is refused in words.
# Usage: odd_machines_test.sh PROGRAM
source "$(dirname "$0")/expect.sh"

ulimit -t 40  # seconds of processor time for each run: all of them take less than one, and up to twelve under sanitizers

# fine WHAT ARGUMENTS...: ends well, says nothing but its digest, and checked by the protocol checker the same.
fine() {
  local what=$1 output checked
  shift
  output=$("$strata" run "$@" --quiet --out "$folder/run" 2>&1) || complain "$what: strata run $*: $output"
  [[ $output =~ ^digest:\ [0-9a-f]{16}$ ]] || complain "$what: strata run $*: more than a digest: $output"
  checked=$("$strata" run "$@" --quiet --out "$folder/checked" --check-protocol 2>&1)
  [ "$checked" = "$output" ] || complain "$what: strata run $* --check-protocol: $checked, not $output"
}

fine "a thousand cycles in which nothing happens" tiny --set mc.drain_low=0 --trace synthetic:random:ctas=1
fine "a read behind a drain that leaves no write" tiny --set mc.drain_low=0 --set llc.mshrs=1 --trace \
  synthetic:strided:kernels=1,ctas=6,warps=7,loads=6,alu=0,in_flight=6,stores=0.1768,stride=0,base=55426048,registers=255
fine "a kernel launch that takes longer than a hang" tiny --set cta.kernel_launch_latency=3000000 --trace synthetic:random:ctas=1
fine "a long kernel launch before a small limit" tiny --set cta.kernel_launch_latency=16000000 --max-instructions 100 \
  --trace synthetic:random:ctas=1 --watchdog-cycles 2000
fine "pauses between CTAs that are longer than a hang" tiny --set cta.launch_jitter=30000 --watchdog-cycles 3000 \
  --trace synthetic:random:ctas=9,warps=1
fine "clusters that can hold no CTA of a kernel, where each has a range of them" isca19/shared --set 'sm[0].warps=2' \
  --set cta.scheduler=dcs --trace synthetic:chase:kernels=1
fine "requests into a slower clock" selrep20/private --set mem.queues=fifo --trace synthetic:random:kernels=1
fine "rows that are closed long after the end" tiny --set mc.page_policy=timeout --set mc.idle_close=40000 \
  --watchdog-cycles 9000 --trace synthetic:random:ctas=1,warps=1,loads=2
fine "accesses millions of cycles apart" isca19/traffic_full_crossbar --set gen.load=0.0000001 --set gen.accesses=2
fine "L1s whose answers come between two of their cycles" isca19/full_crossbar --set clocks.core=1MHz \
  --workload srad_v2@tiny
fine "two programs under an LLC control that cannot tell them apart" isca19/shared_observed --trace synthetic:chase:loads=8 \
  --trace synthetic:strided:ctas=1,loads=8
fine "copies of read-only lines allowed, but none made, and kernels that write what the last ones read" selrep20/static \
  --set ctl.degree=1 --workload bp@tiny --read-only oracle
fine "replies from slices that are much faster than the network" isca19/private --set clocks.noc=1MHz --workload stencil@tiny
for line in 32 64 256; do
  for l1 in l1_private l1_sectored; do
    fine "$l1 with lines of $line B in front of slices with lines of 128 B" tiny --set sm.line=$line --set l1.line=$line \
      --set l1.module=$l1 --set llc.sector=32 --set llc.size=12KiB --workload stencil@tiny
    fine "the same, allocating on misses" isca19/private --set sm.line=$line --set l1.line=$line --set l1.module=$l1 \
      --set llc.allocation=on_miss --trace synthetic:random:ctas=8,warps=2,stores=0.3,footprint=1MB
  done
done
fine "sectors in L1s and in slices, few ways, allocating on misses" isca19/shared --set l1.module=l1_sectored --set l1.size=2KiB \
  --set l1.ways=1 --set l1.allocation=on_miss --set llc.size=2KiB --set llc.ways=2 --set llc.sector=64 --set llc.allocation=on_miss \
  --trace synthetic:random:ctas=16,warps=4,stores=0.3
fine "packets that pile up behind outputs which are held again and again" hpca21/clustered_nodes --set n1.vc_flits=629 \
  --set n1.queues=voq --set n1.input_speedup=1 --trace synthetic:strided:kernels=1,ctas=9,warps=4,loads=7,reuse=8
fine "a network of 10 kHz" tiny --set clocks.noc=10kHz --trace synthetic:random:ctas=1,warps=1,loads=2
fine "two lines a cycle, of which the first waits for a line in flight" tiny --set sm.lines_per_cycle=2 --workload bp@tiny
fine "replies that hits which came later overtake" tiny --set l1.latency=1 --workload bp@tiny
fine "replies handed over ahead of time beside a clock with the same edges" tiny --set sm.warps=64 --trace \
  synthetic:hot_set:ctas=2,warps=32,loads=32,alu=0,in_flight=16,footprint=128
fine "more loads that wait for a line than an agenda has cycles" tiny --set clocks.dram=50MHz --set mc.rescale_timing=true \
  --set l1.latency=4000 --set sm.warps=64 --set sm.loads_per_warp=32 --set l1.merges=4096 \
  --trace synthetic:random:ctas=8,warps=32,loads=64,in_flight=16,alu=0,footprint=128,hits=0
fine "a run that is cut off while replies to SMs are in flight" isca19/full_crossbar_private --max-instructions 2013 \
  --trace synthetic:hot_set:ctas=2,warps=1
fine "hits at a bank of an L1 whose queue is full" qv100 --set sm.count=2 --set llc.count=6 --set mc.count=3 \
  --set address_map.slices_per_channel=2 --set l1.latency=1 --set l1.miss_latency=464 \
  --trace synthetic:hot_set:kernels=3,ctas=4,warps=7,loads=9,alu=10,base=256,shared=0
fine "SMs of which some can find their units busy and some cannot" qv100 --set 'sm[1..42].branch_units=4' --trace synthetic:streaming:ctas=1

# chain NUMBER: tiny with so many routers, one behind the other, in a file of that name.
chain() {
  local i last=$(($1 - 1))
  {
    cat <<NETLIST
clocks: {core: 1400 MHz, noc: 1400 MHz, dram: 924 MHz}
address_map: {kind: bits, channels: mc.count, slices_per_channel: 1}
instances:
  cta: {module: cta_dispatcher, clusters: sm.count}
  sm:  {module: sm_cluster, sms: 1}
  l1:  {module: l1_private}
  r:   {module: router_stage, count: $1, inputs: 1, outputs: 1}
  llc: {module: llc_slice}
  mc:  {module: memory_controller, slices: 1}
  ch:  {module: dram_channel}
bind:
  - cta.cluster[c] -> sm[c].dispatch
  - sm[c].l1[s] -> l1[s].sm
  - l1[i].noc -> r[0].in[i]
  - r[$last].out[k] -> llc[k].noc
  - llc[i].mem -> mc[0].slice[i]
  - mc[m].channel -> ch[m].controller
NETLIST
    for ((i = 0; i < last; ++i)); do echo "  - r[$i].out[0] -> r[$((i + 1))].in[0]"; done
  } > "$folder/chain_$1.yaml"
}
chain 62
chain 64
fine "62 routers in a row" "$folder/chain_62.yaml" --trace synthetic:random:ctas=2,warps=2,loads=8
expect 4 'an access has passed 64 L1s, routers and LLC slices and comes to another one' \
  run "$folder/chain_64.yaml" --trace synthetic:random:ctas=2,warps=2,loads=8 --out "$folder/too_long"

expect 1 "l1 runs at 2004 Hz (clock 'slow'): a cycle of it is 698602 of the clock 'core'; allowed: at most 200000" \
  run tiny --set clocks.slow=2004Hz --set l1.clock=slow --trace synthetic:random --out "$folder/refused"
expect 1 'line is 256 B, and a node asks for whole lines; allowed: at most 128 B, as the address map' \
  run hpca21/shared_nodes --set node.line=256 --set sm.line=256 --trace synthetic:random --out "$folder/refused"
expect 1 'read_only is true, but stores or atomics of the stream write what it loads; allowed: both of them 0' \
  run tiny --trace synthetic:random:read_only=true,atomics=0.5 --out "$folder/refused"
exit $failed

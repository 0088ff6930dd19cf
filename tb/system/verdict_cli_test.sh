#!/bin/bash
# The verdict: machines that have one bottleneck each, which is known because nothing else could hold them up; and what
# `--what-if` measures.
. tb/system/expect.sh

# Four SMs, four slices, two channels.
cat >"$folder/four.yaml" <<'END'
platform: four SMs, four slices
clocks: {core: 1400 MHz, noc: 1400 MHz, dram: 924 MHz}
address_map: {kind: bits, channels: mc.count, slices_per_channel: 2}
instances:
  cta: {module: cta_dispatcher, clusters: sm.count}
  sm:  {module: sm_cluster, count: 4, sms: 1}
  l1:  {module: l1_private, count: sm.count * sm.sms}
  rtr: {module: router_stage, inputs: l1.count, outputs: llc.count}
  llc: {module: llc_slice, count: 4}
  mc:  {module: memory_controller, count: 2, slices: llc.count / mc.count}
  ch:  {module: dram_channel, count: mc.count}
bind:
  - cta.cluster[c] -> sm[c].dispatch
  - sm[c].l1[s]    -> l1[c * sm.sms + s].sm
  - l1[i].noc      -> rtr.in[i]
  - rtr.out[k]     -> llc[k].noc
  - llc[i].mem     -> mc[i / mc.slices].slice[i % mc.slices]
  - mc[m].channel  -> ch[m].controller
END
four=$folder/four.yaml

# machine LIMIT RULE PLATFORM TRACE [--set ...]: the verdict names the limit. Its stats.json is in $folder/run.
machine() {
  local limit=$1 rule=$2
  shift 2
  rm -rf "$folder/run"
  local trace=$2
  [[ $trace == workload:* ]] || trace=synthetic:$trace
  "$strata" run "$1" --trace "$trace" "${@:3}" --out "$folder/run" >"$folder/text" 2>&1 ||
    complain "strata run $*: $(cat "$folder/text")"
  local found
  found=$(sed -n '/^ "verdict"/,/"sentence"/s/.*"\(limit\|rule\)": "\(.*\)",.*/\2/p' "$folder/run/stats.json" | xargs)
  [ "$found" = "$limit $rule" ] ||
    complain "strata run $*: the verdict is '$found', not '$limit $rule': $(grep -A5 ^verdict "$folder/text")"
}

# Work of many warps without loads to speak of: every scheduler issues.
machine sm.issue full tiny streaming:ctas=16,warps=8,loads=2,alu=200
# An integer unit takes one instruction in 16 cycles, one for double precision in 64.
machine sm.int full tiny streaming:ctas=8,warps=8,loads=2,alu=100 --set sm.int_interval=16
machine sm.dp full tiny workload:ddiv@tiny --set sm.dp_interval=64
# Two warps, each of whose instructions needs the result of the one before it, 50 cycles later.
machine instruction_latency idle tiny streaming:ctas=2,warps=2,loads=2,alu=500 --set sm.alu_latency=50
# Special functions, of which a unit takes one in 64 cycles.
machine sm.sfu full tiny workload:bs@tiny --set sm.sfu_interval=64
# Hits, each of which occupies the port for 16 cycles.
machine l1.port full tiny hot_set:hot_fraction=1,hot_size=4KiB,ctas=8,warps=8,loads=64,alu=0 --set l1.port_cycles=16
# One miss at a time, in the L1 or in the slice.
machine l1.mshrs room tiny random:footprint=64MiB,ctas=4,warps=4,loads=4 --set l1.mshrs=1
machine llc.mshrs room tiny random:footprint=64MiB,ctas=4,warps=4,loads=4 --set llc.mshrs=1
# A store with its line is 34 flits of 4 bytes, a load's request 2 and its reply 34.
machine rtr.requests_in full tiny streaming:stores=1,ctas=16,warps=8,loads=8 --set rtr.channel_bytes=4
machine rtr.replies_in full tiny streaming:ctas=16,warps=8,loads=8 --set rtr.channel_bytes=4
# The same where a slice keeps one reply: its head stands still, and whatever is before it, since replies cannot leave.
machine rtr.replies_in full tiny streaming:ctas=16,warps=8,loads=8 --set rtr.channel_bytes=4 --set llc.reply_queue=1 --set l1.mshrs=4
# A line every 14 core cycles out of open rows; replies take 7.
slow="--set clocks.dram=100MHz --set mc.rescale_timing=true"
machine mc.bus full tiny streaming:ctas=16,warps=8,loads=8 $slow
# Every lane another row of the same bank: one activation in nRC.
machine mc.queue room tiny strided:stride=256KiB,ctas=2,warps=8,loads=2 --set mc.bank_xor=false
# A warp for each scheduler that follows a chain: whatever it waits for serves it alone. A single one leaves the other
# scheduler without work.
machine latency latency tiny chase:ctas=1,warps=2,loads=100
machine no_warp idle tiny chase:ctas=1,warps=1,loads=100
# Two warps of one load each.
machine sm.loads room tiny random:footprint=64MiB,ctas=8,warps=2,loads=32,in_flight=1,alu=0 --set sm.warps=2 --set sm.loads_per_warp=1
# Five CTAs of much arithmetic for four SMs that hold one each: the fifth runs alone.
machine no_warp idle "$four" streaming:ctas=5,warps=8,loads=2,alu=500 --set sm.ctas=1
# Kernels of one load, 5000 cycles apart.
machine kernel_boundaries idle tiny streaming:kernels=10,ctas=1,warps=1,loads=1 --set cta.kernel_launch_latency=5000
# Partitions of 256 B go to two channels and two slices of each in turn: all lines to one slice, in which they hit, or to
# one channel.
machine rtr.replies_in full "$four" strided:stride=1KiB,footprint=256KiB,ctas=16,warps=8,loads=16 --set l1.size=4KiB --set l1.ways=4
grep -q "Limited by reply links into routers, .*; mean 2[0-9]" "$folder/text" || complain "camping: $(grep -A5 ^verdict "$folder/text")"
grep -q "^uneven" "$folder/text" || complain "camping is not uneven: $(grep -A5 ^verdict "$folder/text")"
machine mc.queue room "$four" strided:stride=512,ctas=4,warps=8,loads=4 $slow
grep -A1 "Limited by DRAM read queues, " "$folder/text" | grep -q "mc\[0\]; mean" || complain "one channel: $(grep -A5 ^verdict "$folder/text")"
# Stores of all to all through FIFOs, each one flit, which nothing can shorten: heads block.
machine rtr.queues full "$four" random:stores=1,footprint=256KiB,ctas=32,warps=8,loads=16 --set rtr.channel_bytes=256
# An L1 of half the lines that are used again and again: misses by capacity are counted only on request.
small="hot_set:hot_fraction=1,hot_size=40KiB,ctas=8,warps=8,loads=64 --set l1.size=24KiB"
machine l1.lines size tiny $small --observe capacity
grep -A1 "try       more L1 capacity (twice as much spares [0-9.]* % of the requests that leave L1s" "$folder/text" | grep -q "l1.lines\]" || complain "too small: $(cat "$folder/text")"

# The last line says what was measured, in words, and the same in stats.json; a run of one kernel has one verdict.
"$strata" run tiny --workload va@tiny --max-instructions 40000 --what-if --by-kernel --out "$folder/one" >"$folder/text" 2>&1 || complain "--what-if: $(cat "$folder/text")"
grep -q "^try .*(+[0-9.]* % measured)" "$folder/text" || complain "the last line does not say what was measured: $(grep -A9 ^verdict "$folder/text")"
python3 - "$folder/one" <<'PY' || complain "run and kernel, rule and measurement differ"
import json, sys
stats, kernels, reliefs = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("stats", "kernels", "what_if"))
best = max(one["faster"] for one in reliefs["reliefs"] if one["faster"] is not None)
assert stats["verdict"]["measured"][0]["faster"] == best, (stats["verdict"]["measured"], best)
assert len(kernels["kernels"]) == 1
for of in (kernels["kernels"][0], kernels["names"][0]):
    for name, value in of["summary"].items():
        assert stats["summary"][name] == value, (name, value, stats["summary"][name])
    for name in ("limit", "rule", "sentence", "relief", "schedulers", "ranking", "longest_share"):
        assert stats["verdict"][name] == of["verdict"][name], (name, of["verdict"][name], stats["verdict"][name])
PY
# A tail: five CTAs for four SMs that hold one each, in epochs of a twentieth of the run.
"$strata" run "$four" --trace synthetic:streaming:ctas=5,warps=8,loads=2,alu=500 --set sm.ctas=1 --epoch 200 --out "$folder/tail" >"$folder/text" 2>&1 || complain "tail: $(cat "$folder/text")"
grep -q "^tail      in the last [0-9.]* % of the time [0-9.]* % of the SMs have work, before [0-9.]* %: the last 1 of 5$" "$folder/text" ||
  complain "no tail: $(grep -A9 ^verdict "$folder/text")"

# What relief gives: where hits wait for a port, a port of half the time gains most, up to twice the speed.
"$strata" run tiny --trace synthetic:hot_set:hot_fraction=1,hot_size=4KiB,kernels=3,ctas=2,warps=8,loads=32,alu=0 --set l1.port_cycles=16 \
  --what-if --by-kernel --out "$folder/if" >"$folder/text" 2>&1 || complain "--what-if: $(cat "$folder/text")"
grep -A1 "^what if" "$folder/text" | tail -1 | grep -q "^l1.port (l1.port_cycles=8)  *[5-9][0-9.]* %" ||
  complain "a faster port gains most: $(grep -A9 "^what if" "$folder/text")"
grep -q '"schema": "strata-what-if"' "$folder/if/what_if.json" || complain "no what_if.json"

# Several runs of each: gains with their intervals. A port of half the time gains beyond chance; links of twice the width, which few
# misses use, do not, and what gains far less than the best ran once.
"$strata" run tiny --trace synthetic:hot_set:hot_fraction=0.95,hot_size=4KiB,kernels=3,ctas=8,warps=8,loads=32,alu=0 --set l1.port_cycles=16 \
  --what-if --what-if-runs 3 --out "$folder/noise" >"$folder/text" 2>&1 || complain "--what-if-runs: $(cat "$folder/text")"
grep -A1 "^what if" "$folder/text" | tail -1 | grep -q "^l1.port (l1.port_cycles=8)  *[5-9][0-9.]* % ± [0-9.]*$" ||
  complain "a faster port with its interval: $(grep -A9 "^what if" "$folder/text")"
python3 - "$folder/noise/what_if.json" <<'PY' || complain "intervals of --what-if: $(cat "$folder/noise/what_if.json")"
import json, sys
reliefs = json.load(open(sys.argv[1]))["reliefs"]
port = next(one for one in reliefs if one["resources"] == ["l1.port"])
assert port["runs"] == 3 and 0 <= port["interval_half"] < 0.2 and not port["within_noise"] and not port["within_noise_of_best"], port
once = [one for one in reliefs if "runs" not in one]
assert once and all(one["faster"] < port["faster"] / 2 and "interval_half" not in one for one in once), once
PY
# Hits alone, behind a port that is full, come as they come: the starts of CTAs change nothing. Such runs have no interval.
"$strata" run tiny --trace synthetic:hot_set:hot_fraction=1,hot_size=4KiB,kernels=3,ctas=2,warps=8,loads=32,alu=0 --set l1.port_cycles=16 \
  --what-if --what-if-runs 3 --out "$folder/equal" >"$folder/text" 2>&1 || complain "--what-if-runs: $(cat "$folder/text")"
grep -q "^l1.port (l1.port_cycles=8)  *[5-9][0-9.]* %  *identical (3 runs)$" "$folder/text" && ! grep -q "±" "$folder/text" ||
  complain "identical runs: $(grep -A9 "^what if" "$folder/text")"
# What was measured is the whole run: three launches of 24 million thread instructions each, of which the first warms the L1.
# Every figure is that of a full run with the settings of the relief.
whole="tiny --set l1.size=24KiB --trace synthetic:hot_set:hot_fraction=1,hot_size=40KiB,kernels=3,ctas=8,warps=8,loads=64,alu=180"
"$strata" run $whole --what-if --out "$folder/whole" >"$folder/text" 2>&1 || complain "--what-if: $(cat "$folder/text")"
grep -qx "measured: all of the run: 3 launches, 71 184 384 thread instructions" "$folder/text" || complain "what was measured: $(tail -3 "$folder/text")"
python3 - "$strata" "$folder" $whole <<'PY' || complain "--what-if is not what full runs give: $(cat "$folder/whole/what_if.json")"
import json, subprocess, sys
strata, folder, *words = sys.argv[1:]
def speed(place):
    summary = json.load(open(f'{place}/stats.json'))['summary']
    return summary['thread_instructions'] / summary['cycles']
found = json.load(open(f'{folder}/whole/what_if.json'))
assert (found['measured']['launches'], found['measured']['of_launches'], found['measured']['sampled']) == (3, 3, False), found
for number, one in enumerate(found['reliefs']):
    place = f'{folder}/full{number}'
    subprocess.run([strata, 'run', *words, *(f'--set={set}' for set in one['sets']), '--quiet', '--out', place], check=True, stdout=subprocess.DEVNULL)
    gain = speed(place) / speed(f'{folder}/whole') - 1
    assert abs(gain - one['faster']) < 1e-9, (one, gain)
assert any(one['resources'] == ['l1.lines'] and one['faster'] > 0.01 for one in found['reliefs']), found
PY
# A sample: four launches of twelve, with the interval of what they differ in. It says so everywhere.
"$strata" run tiny --trace synthetic:random:footprint=1MiB,kernels=12,ctas=4,loads=8 --what-if --what-if-launches 4 --out "$folder/sample" >"$folder/text" 2>&1 ||
  complain "--what-if-launches: $(cat "$folder/text")"
grep -qx "measured: 4 of 12 launches, 33.3 % of thread instructions" "$folder/text" && grep -q " % ± [0-9.]*" "$folder/text" ||
  complain "the sample: $(grep -A20 "^what if" "$folder/text")"
python3 - "$folder/sample/what_if.json" <<'PY' || complain "the sample: $(cat "$folder/sample/what_if.json")"
import json, sys
found = json.load(open(sys.argv[1]))
measured = found['measured']
assert measured['sampled'] and (measured['launches'], measured['of_launches']) == (4, 12), measured
assert 3 * measured['thread_instructions'] == measured['of_thread_instructions'], measured
assert any(one.get('interval_half', 0) > 0 for one in found['reliefs']), found
PY
# Traffic generators have no instructions: a run is as fast as it is short.
"$strata" run isca19/traffic_shared --set gen.accesses=20 --what-if --out "$folder/traffic" >"$folder/text" 2>&1 || complain "--what-if of traffic"
grep -qx "measured: all of the run" "$folder/text" && ! grep -q "not measured" "$folder/text" || complain "--what-if of traffic: $(cat "$folder/text")"
expect 1 "--what-if-launches: applies only with --what-if" run tiny --trace synthetic:random --what-if-launches 3
expect 1 "--what-if-launches: takes launches of the whole run; leave --max-instructions away" run tiny --trace synthetic:random --what-if --what-if-launches 3 --max-instructions 100
expect 1 "--what-if-launches: takes launches of one application" run tiny --trace synthetic:random --trace synthetic:random --what-if --what-if-launches 3
# A signal keeps what is measured by then, and the run itself.
"$strata" run tiny --trace synthetic:random:footprint=16MiB,ctas=64,loads=32,kernels=4 --what-if --what-if-runs 200 --out "$folder/cut" >"$folder/text" 2>&1 &
long=$!
for _ in $(seq 300); do
  grep -q "^strata: --what-if: .* runs, .* at a time: about" "$folder/text" && break
  sleep 0.1
done
sleep 1
kill -INT $long
wait $long
[ $? = 130 ] && grep -q "^strata: --what-if was interrupted by SIGINT: gains measured so far are kept" "$folder/text" && grep -q '"interrupted": "SIGINT"' "$folder/cut/what_if.json" &&
  [ -s "$folder/cut/stats.json" ] || complain "an interrupted --what-if: $(cat "$folder/text")"

expect 1 "--what-if-runs: applies only with --what-if" run tiny --trace synthetic:random --what-if-runs 3
expect 1 "--what-if-runs: '1000000000' is too large; allowed: 1 to 1000" run tiny --trace synthetic:random --what-if --what-if-runs 1000000000
# Two MSHRs: four of them, alone or with longer lists, are worth the same.
"$strata" run tiny --trace synthetic:random:ctas=4,loads=16,footprint=1MiB --set l1.mshrs=2 --what-if --what-if-runs 3 --out "$folder/ties" >"$folder/text" 2>&1 ||
  complain "--what-if-runs: $(cat "$folder/text")"
[ "$(grep -A2 "^what if" "$folder/text" | grep -c "^l1.*(l1.mshrs=4.* ± ")" = 2 ] && [ "$(grep -c "as the first, within noise" "$folder/text")" -ge 1 ] ||
  complain "no tie: $(grep -A12 "^what if" "$folder/text")"

# Kernels add up to the run, and their names to them.
counts() { sed -n 's/.*"thread_instructions": \([0-9]*\),.*/\1/p' "$1"; }
mapfile -t each < <(counts "$folder/if/kernels.json")
total=$(counts "$folder/if/stats.json" | head -1)
[ ${#each[@]} -eq 4 ] && [ "${each[3]}" = "$total" ] && [ $((each[0] + each[1] + each[2])) -eq "$total" ] ||
  complain "kernels of ${each[*]} instructions do not add up to $total"
grep -c '"limit": "l1.port"' "$folder/if/kernels.json" | grep -qx 4 || complain "verdicts of kernels: $(grep '"limit"' "$folder/if/kernels.json")"
# Of programs side by side each has its own: what they issue adds up to what each application has issued, and none has a verdict.
"$strata" run tiny --by-kernel --no-repeat --quiet --out "$folder/two" --set sm.sms=2 --trace synthetic:random:kernels=2,ctas=1,loads=4 \
  --trace synthetic:random:kernels=3,ctas=2,loads=4 >/dev/null || complain "--by-kernel of two programs"
python3 - "$folder/two" <<'PY' || complain "kernels of two programs"
import json, sys
stats, kernels = (json.load(open(f'{sys.argv[1]}/{name}.json')) for name in ('stats', 'kernels'))
for number, launches in ((0, 2), (1, 3)):
    own = [one for one in kernels['kernels'] if one['application'] == number]
    assert [one['kernel'] for one in own] == list(range(launches)), own
    assert sum(one['summary']['thread_instructions'] for one in own) == stats['applications'][number]['summary']['thread_instructions']
    assert all(one['complete'] and 'verdict' not in one and one['summary']['kernels_done'] == 1 for one in own)
    assert all(a['began'] + a['cycles'] == b['began'] for a, b in zip(own, own[1:]))
assert [(one['application'], one['launches']) for one in kernels['names']] == [(0, 2), (1, 3)], kernels['names']
PY
expect 1 "traffic generators run no kernels" run isca19/traffic_shared --by-kernel --out "$folder/none"

# Noise: seeds are a group, and what differs by chance is said to.
for seed in 1 2 3; do
  "$strata" run tiny --trace synthetic:random:ctas=4,loads=16,footprint=1MiB --seed $seed --quiet --out "$folder/a$seed" >/dev/null || complain "run"
  "$strata" run tiny --trace synthetic:random:ctas=4,loads=16,footprint=1MiB --seed $((seed + 3)) --set cta.launch_jitter=1 --quiet --out "$folder/b$seed" >/dev/null || complain "run"
  "$strata" run tiny --trace synthetic:random:ctas=4,loads=16,footprint=1MiB --seed $seed --set llc.mshrs=2 --quiet --out "$folder/slow$seed" >/dev/null || complain "run"
done
expect 0 "a1 x 6" compare "$folder"/a? "$folder"/b?
expect 0 "slow1 x 3 against a1 x 3: +" compare "$folder"/a? "$folder"/slow?
expect 0 "mean latency of loads +" compare "$folder"/a? "$folder"/slow?
expect 0 " in llc." compare "$folder"/a? "$folder"/slow?
expect 0 "| llc.mshrs |" compare --pivot --markdown "$folder"/a? "$folder"/slow?
expect 0 "results,runs,llc.mshrs,cycles,cycles_interval_half" compare --csv "$folder"/a? "$folder"/slow? --figure cycles
expect 0 '"interval_half"' compare --pivot --json "$folder"/a? "$folder"/slow? --figure cycles
expect 0 '"within_noise"' compare --json "$folder"/a? "$folder"/slow?
expect 1 "'cycle' is no figure of the summary" compare --pivot "$folder/a1" --figure cycle
expect 1 "one of them says how" compare --csv --json "$folder/a1"
# Runs of equal seeds are pairs; runs that no seed moves are one.
expect 0 "runs of equal seeds are compared as pairs: slow1 x 3" compare "$folder"/a? "$folder"/slow?
expect 0 '"paired"' compare --json "$folder"/a? "$folder"/slow?
for seed in 1 2; do
  "$strata" run tiny --trace synthetic:streaming:ctas=4,loads=4 --seed $seed --quiet --out "$folder/same$seed" >/dev/null || complain "run"
done
expect 0 "same1, identical (2 runs)" compare "$folder"/same? "$folder"/a1
expect 0 "identical (2 runs)" compare --pivot "$folder"/same? "$folder"/a1
expect 0 '"identical": true' compare --pivot --json "$folder"/same? "$folder"/a1
# One SM is not moved by a cycle or two of jitter: the cycles are the same, other counters are not. No interval, and it says why.
for seed in 1 2; do
  "$strata" run tiny --workload va@tiny --set cta.launch_jitter=2 --seed $seed --quiet --out "$folder/va$seed" >/dev/null || complain "run"
done
expect 0 ", all equal" compare --pivot --figure cycles "$folder"/va?
"$strata" compare --pivot "$folder"/same? "$folder"/a1 | grep same1 | grep -q "±" && complain "an interval of identical runs"
exit $failed

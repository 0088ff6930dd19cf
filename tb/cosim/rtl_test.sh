#!/bin/bash
# The LLC slice in RTL (timing: rtl) against the model. Usage: rtl_test.sh PLUG-IN PROGRAM [WAVES]
# shellcheck source=tb/system/expect.sh
. tb/system/expect.sh "$2"
plugin=$1
waves=$3  # not empty: the designs have some
# Hits, merges, stores that allocate, dirty lines that leave: 128 KiB in 96 KiB.
trace=synthetic:hot_set:hot_fraction=0.6,hot_size=128KiB,footprint=4MiB,stores=0.3,atomics=0.02,ctas=8,warps=8,loads=60,seed=5
rtl() { local timing=$1; shift; run_tiny --plugin "$plugin" --set llc.timing="$timing" --set llc.check=model "$@"; }
counter() { sed -n '/"llc\[0\]": {/,/^ }/s/^ *"'"$1"'": \([0-9]*\),*$/\1/p' "$folder/out/stats.json" | head -n 1; }
cycles_of() { sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' "$folder/out/stats.json" | head -n 1; }
run_tiny() { "$strata" run tiny --trace "$trace" --out "$folder/out" "$@" 2>&1; }

# The RTL decides as the model does, and every law holds; the machine is as fast, cycle by cycle.
output=$(rtl rtl --check-protocol) || complain "tiny in RTL: $output"
cycles=$(cycles_of)
for event in hits merges misses write_allocations dirty_evictions reply_queue_stalls; do
  [ "$(counter $event)" -gt 0 ] || complain "the trace makes no $event"
done
output=$(run_tiny --set llc.timing=at) || complain "tiny: $output"
model=$(cycles_of)
[ "$cycles" -eq "$model" ] || complain "$cycles cycles in RTL, $model of the model"

# What was run can be run again from its configuration.
rtl rtl >"$folder/first"
"$strata" run "$folder/out/config.yaml" --trace "$trace" --out "$folder/again" >"$folder/second" 2>&1 || complain "config.yaml: $(cat "$folder/second")"
[ "$(grep -o 'digest.*' "$folder/first")" = "$(grep -o 'digest.*' "$folder/second")" ] || complain "another digest from config.yaml"

# Each fault in the RTL is found, at the first decision that differs.
for mutant in lru_stands store_forgotten no_merge replies_overtake write_lost; do
  rm -rf "$folder/out"  # a run that ends takes the place of no other
  output=$(rtl rtl:$mutant) && complain "$mutant is not found"
  grep -qE 'llc\[0\]: the RTL differs from the model in cycle [0-9]+, line 0x[0-9a-f]+: the model: .*, the RTL: ' <<<"$output" || complain "$mutant: $output"
  # Waves around it, where the design has any: those of that cycle are among them.
  if [ -n "$waves" ]; then
    cycle=$(sed -n 's/.*differs from the model in cycle \([0-9]*\),.*/\1/p' <<<"$output" | head -n 1)
    grep -qF "waves.fst has the waves of cycles $((cycle - 200)) to $((cycle + 20)) around the difference in cycle $cycle of llc[0]" <<<"$output" ||
      complain "$mutant: no word of waves: $output"
    [ "$(stat -c %s "$folder/out/waves.fst")" -gt 1000 ] || complain "$mutant: no waves"
  fi
done

# Without an event port: the same answers in the same cycles; what only decisions tell is not counted, and said to be so.
rm -rf "$folder/out"
output=$(run_tiny --set llc.timing=rtl:no_events --plugin "$plugin" --check-protocol) || complain "no events: $output"
[ "$(cycles_of)" -eq "$cycles" ] || complain "no events: $(cycles_of) cycles, with them $cycles"
[ "$(counter replies)" -eq "$(counter accesses)" ] && [ "$(counter memory_writes)" -gt 0 ] || complain "no events: replies and writes"
[ -z "$(counter hits)$(counter misses)$(counter evictions)" ] || complain "no events: hits, misses or evictions are counted"
grep -q "the module llc_slice does not count 'hits'" "$folder/out/stats.json" || complain "no events: no message that hits are not counted"
expect 1 "llc[0].check: model compares decisions, and the RTL has no event port" run tiny --plugin "$plugin" --set llc.timing=rtl:no_events --set llc.check=model \
  --trace "$trace" --out "$folder/refused"
expect 0 "llc[3] does not count 'hits'" run isca19/shared --plugin "$plugin" --set 'llc[3].timing=rtl:no_events' \
  --trace synthetic:random:ctas=16,loads=8,footprint=1MiB --out "$folder/unseen"

# Bytes: 30 % stores and 5 % atomics through slices of 96 KiB, and each byte that is read is what it must be.
bytes() {
  local timing=$1
  shift
  "$strata" run tb/data/check.yaml --plugin "$plugin" --set llc.timing="$timing" --set llc.size=96KiB --set llc.ways=16 --set llc.mshrs=64 \
    --set gen.footprint=512KiB --set gen.load=1 --set gen.loads=0.65 --set gen.accesses="${STRATA_DATA_ACCESSES:-3000}" --out "$folder/out" "$@" 2>&1
}
for pattern in uniform hot; do
  output=$(bytes rtl --set llc.check=model --set gen.pattern=$pattern) || complain "bytes, $pattern: $output"
  grep -q '"wrong_bytes": 0$' "$folder/out/stats.json" || complain "bytes, $pattern: wrong ones, or none counted"
done
[ "$(counter dirty_evictions)" -gt 0 ] && [ "$(counter merges)" -gt 0 ] || complain "bytes: no line was written back, or nothing merged"
for mutant in enables_ignored merged_store_lost write_lost; do
  output=$(bytes rtl:$mutant --set gen.pattern=hot --set gen.hot_lines=4096) && complain "bytes, $mutant: not found"
  grep -q 'gen\[0\]: port [0-3]: byte 0x' <<<"$output" || complain "bytes, $mutant: $output"
done
expect 1 "llc[0].timing: the RTL holds no bytes, and run.data is carried" run tb/data/check.yaml --plugin "$plugin" \
  --set llc.timing=rtl:no_bytes --set llc.size=96KiB --set llc.ways=16 --set llc.mshrs=64 --out "$folder/refused"

# One slice of many, and what cannot be.
expect 0 digest run isca19/shared --plugin "$plugin" --set 'llc[3].timing=rtl' --set 'llc[3].check=model' \
  --trace synthetic:random:ctas=16,loads=8,footprint=1MiB --out "$folder/one"
tiny_rtl="netlist tiny --plugin $plugin --set llc.timing=rtl"
expect 1 "llc.ways: is 8, and the RTL was made for 16" $tiny_rtl --set llc.ways=8
expect 1 "llc.size: gives 96 sets, and the RTL was made for 48" $tiny_rtl --set llc.size=192KiB
expect 1 "llc.write: is not what RTL knows: back" $tiny_rtl --set llc.write=through
expect 1 "no RTL of llc_slice has this name (did you mean 'strata'?)" netlist tiny --plugin "$plugin" --set llc.timing=rtl:srata
expect 1 "l1.timing: 'rtl' - RTL cannot take the place of l1_private; allowed: at, lt" netlist tiny --plugin "$plugin" --set l1.timing=rtl
expect 1 "llc.timing: 'rtl' - no plug-in brings RTL of llc_slice" netlist tiny --set llc.timing=rtl
expect 1 "llc.check: 'modell' (did you mean 'model'?)" $tiny_rtl --set llc.check=modell
expect 1 "llc.check: no member is RTL" netlist tiny --set llc.check=model

# On its way to a private LLC a slice writes its dirty lines back, which is compared too; then it is refused.
expect 4 "llc[1]: RTL writes back only, and llc_control asks for write-through" run isca19/adaptive --plugin "$plugin" --set ctl.margin=100 \
  --set ctl.profile=300 --set 'llc[1].timing=rtl' --set 'llc[1].check=model' --out "$folder/private" \
  --trace synthetic:hot_set:stores=0.4,kernels=3,ctas=80,loads=16,footprint=1MiB,hot_size=16KiB
written=$(sed -n '/"llc\[1\]": {/,/^  }/s/^ *"flush_writes": \([0-9]*\),*$/\1/p' "$folder"/private*/stats.json)
[ "$written" -gt 0 ] || complain "no dirty line was written back"
exit $failed

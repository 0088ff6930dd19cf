#!/bin/bash
# Bytes that payloads carry. Usage: data_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. tb/system/expect.sh "$1"
count=0
accesses=${STRATA_DATA_ACCESSES:-800}  # of each of four ports
machine=tb/data/check.yaml
counter() { sed -n "s/.*\"$1\": *\([0-9][0-9]*\).*/\1/p" "$2" | head -n 1; }

# right ARGUMENTS...: every byte that was read is what it must be, at the ports and at the end.
right() {
  count=$((count + 1))
  local output
  output=$("$strata" run "$machine" --set gen.accesses="$accesses" --out "$folder/$count" "$@" 2>&1) ||
    complain "$*: $(grep -m 3 -iE 'error|byte|counter' <<<"$output")"
  [ "$(counter wrong_bytes "$folder/$count/stats.json")" = 0 ] || complain "$*: wrong bytes, or none counted"
  [ "$(counter checked_bytes "$folder/$count/stats.json")" -gt 30000 ] || complain "$*: hardly a byte was checked"
}
right
right --set gen.load=1
for l1 in l1_sectored l1_tag_split l1_decoupled_sectored l1_prioritized; do right --set "l1.module=$l1" --set gen.load=1; done
right --set l1.module=l1_tag_split --set l1.chunk=8 --set llc.sector=32 --set gen.load=1
right --set l1.write=through --set llc.sector=32 --set gen.pattern=hot --set gen.hot_lines=8
right --set llc.sector=32 --set llc.allocation=on_miss --set llc.mshr_sectors=16 --set gen.load=1
right --set llc.sector=64 --set l1.module=l1_sectored --set gen.pattern=stride
right --set llc.write=through --set llc.sector=32
right --set l1.module=l1_sectored --set l1.request_bytes=32 --set llc.sector=32
right --set l1.line=256 --set gen.line=256 --set llc.sector=32 --set gen.footprint=32KiB

# Local memory that stays in the L1s: sectors of every size, both allocations, parts of lines, banks, little room.
local=(--set gen.local=0.6 --set l1.local=write_back)
right --set gen.local=0.6
right "${local[@]}"
right "${local[@]}" --set l1.write=through --set llc.sector=32 --set gen.loads=0.4 --set gen.load=1
right "${local[@]}" --set l1.line=256 --set gen.line=256 --set llc.sector=32 --set gen.footprint=32KiB
right "${local[@]}" --set l1.texture_sets=4 --set l1.miss_queue=1 --set gen.load=1
for l1 in l1_sectored l1_prioritized; do
  right "${local[@]}" --set "l1.module=$l1" --set l1.sector=64 --set l1.allocation=on_fill --set gen.load=1
  right "${local[@]}" --set "l1.module=$l1" --set l1.sector=32 --set l1.allocation=on_miss --set gen.loads=0.4
done
right "${local[@]}" --set l1.module=l1_sectored --set l1.request_bytes=32 --set l1.banks=4 --set l1.bank_queue=4 --set llc.sector=32

# Lines that a prefetcher brings, with stores and atomics that overtake them.
for prefetcher in next_line stride stream; do
  for l1 in l1_private l1_sectored l1_tag_split l1_prioritized; do
    right --set "l1.prefetcher=$prefetcher" --set "l1.module=$l1" --set gen.load=0.05 --set gen.pattern=stride
  done
  right --set "l1.prefetcher=$prefetcher" --set l1.request_bytes=32 --set llc.sector=32 --set gen.load=0.05
  right "${local[@]}" --set "l1.prefetcher=$prefetcher" --set l1.module=l1_sectored --set l1.allocation=on_miss \
    --set gen.load=0.05
done

# Caches apart from their cores, behind routers with virtual channels, in which accesses of a port pass each other.
cat >"$folder/nodes.yaml" <<'YAML'
extends: REPLACED
instances:
  l1:  {module: dcl1_node, count: 2, request_queue: 4, reply_queue: 4, miss_queue: 4, fill_queue: 4}
  n1:  {module: router_stage, inputs: gen.ports, outputs: l1.count, route: line, vcs: 4, vc_flits: 4, pipeline: 3, lookahead: true}
  rtr: {inputs: l1.count, vcs: 4, vc_flits: 4, pipeline: 3, lookahead: true}
bind:
  - gen.l1[i]      -> n1.in[i]
  - n1.out[k]      -> l1[k].sm
  - l1[i].noc      -> rtr.in[i]
  - rtr.out[k]     -> llc[k].noc
  - llc[i].mem     -> mc[i].slice[0]
  - mc[m].channel  -> ch[m].controller
YAML
sed -i "s|REPLACED|$PWD/tb/data/check.yaml|" "$folder/nodes.yaml"
machine=$folder/nodes.yaml
right --set gen.load=1 --set gen.overlap=false
right --set gen.overlap=false --set l1.write=through --set llc.sector=32
right --set gen.overlap=false --set l1.module=dcl1_node_prioritized --set llc.sector=32

# A private LLC: two slices hold a line, each with the bytes of its own cluster up to date.
machine=isca19/traffic_private
accesses=50
right --set run.data=carried --set gen.check=true --set gen.footprint=512KiB --set gen.load=1 --set gen.loads=0.6

# The same machine without bytes: the same cycles and counters.
for data in none carried; do
  "$strata" run tiny --trace synthetic:random:ctas=2,warps=4,loads=6 --set run.data=$data \
    --out "$folder/$data" >"$folder/log" 2>&1 || complain "tiny, $data: $(tail -n 3 "$folder/log")"
done
cmp <(grep '"digest"' "$folder/none/stats.json") <(grep '"digest"' "$folder/carried/stats.json") ||
  complain "bytes change the digest"
# Loads that ask for parts of 8 B: where chunks are whole 32 B nothing changes, where they are 8 B each hit has its bytes.
parts=(run tiny --trace synthetic:random:ctas=2,warps=4,loads=6 --set sm.asks=parts --set l1.module=l1_tag_split --quiet)
"$strata" "${parts[@]}" --set sm.asks=sectors --out "$folder/chunks" >/dev/null || complain "tag-split"
"$strata" "${parts[@]}" --out "$folder/parts" >/dev/null || complain "tag-split, parts"
cmp <(grep '"digest"' "$folder/chunks/stats.json") <(grep '"digest"' "$folder/parts/stats.json") ||
  complain "naming parts changes the digest where chunks are 32 B"
for data in none carried; do
  "$strata" "${parts[@]}" --set l1.chunk=8 --set run.data=$data --out "$folder/fine.$data" >"$folder/log" 2>&1 ||
    complain "chunks of 8 B, $data: $(tail -n 3 "$folder/log")"
done
cmp <(grep '"digest"' "$folder/fine.none/stats.json") <(grep '"digest"' "$folder/fine.carried/stats.json") ||
  complain "bytes change the digest of chunks of 8 B"
grep -q 'data: carried' "$folder/carried/config.yaml" || complain "config.yaml does not say that bytes are carried"

# What cannot be right is refused.
expect 1 "set run.data: carried" run tb/data/check.yaml --set run.data=none
expect 1 "allowed: none or carried" run tb/data/check.yaml --set run.data=some
expect 1 "take perfect: false, or run.data: none" run tb/data/check.yaml --set l1.perfect=true
expect 1 "leaves no line of the footprint free" run tb/data/check.yaml --set gen.overlap=false --set gen.footprint=2KiB
expect 1 "atomics are sent with check: true only" run tb/data/check.yaml --set gen.check=false
exit $failed

#!/bin/bash
# Plug-ins that were built against an installed Strata. Usage: plugins_test.sh PROGRAM EXAMPLES REFUSED PAGE NEW
# EXAMPLES: the project of docs/guide/plugins.md, built in its folder `build`. REFUSED: the built project of tb/install/plugins.
# NEW: a folder for each kind that `strata new-plugin` writes, with the plug-in new_KIND, built.
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/../system/expect.sh" "$(realpath "$1")"
examples=$(realpath "$2")
built=$(realpath "$3")
page=$(realpath "$4")
new=$(realpath "$5")
digest() { "$strata" run "$@" --quiet --out "$folder/out" 2>&1 | tail -n 1; }

# Copies of built-in blocks give the same digests, on a small and on a large machine.
ours=$(digest tiny --trace synthetic:random:loads=32)
[[ $ours =~ ^digest:\ [0-9a-f]{16}$ ]] || complain "no digest: $ours"
for machine in tiny isca19/shared; do
  trace="synthetic:random:loads=16,ctas=16"
  ours=$(digest $machine --trace $trace)
  for copy in "copy_slice llc" "copy_l1 l1"; do
    read -r module instance <<<"$copy"
    copied=$(digest $machine --trace $trace --plugin "$built/$module.so" --set "$instance.module=$module")
    [ "$ours" = "$copied" ] || complain "$machine: $module gives $copied, the built-in block $ours"
  done
done

# What a run leaves behind: the hash, and a configuration that gives the same run, also of a netlist's own plug-ins.
"$strata" run tiny --plugin "$built/copy_l1.so" --set l1.module=copy_l1 --trace synthetic:random:loads=32 --quiet --out "$folder/kept" >/dev/null
grep -qE '"fnv1a64": "[0-9a-f]{16}"' "$folder/kept/stats.json" || complain "stats.json has no hash of the plug-in"
grep -qF "\"file\": \"$built/copy_l1.so\"" "$folder/kept/stats.json" || complain "stats.json does not name the plug-in"
[ "$(digest "$folder/kept/config.yaml" --trace synthetic:random:loads=32)" = "$(digest tiny --trace synthetic:random:loads=32)" ] ||
  complain "config.yaml does not give the same run"
grep -q '"plugins"' <(digest tiny --trace synthetic:random:loads=8; cat "$folder/out/stats.json") &&
  complain "stats.json speaks of plug-ins although there is none"

# Plug-ins as `strata new-plugin` writes them: the page names each kind, and each policy changes a run, alone.
"$strata" new-plugin | sed 1d >"$folder/kinds"
while read -r kind _; do
  grep -qE "^\| .$kind. \|" "$page" || complain "$page does not list $kind"
done <"$folder/kinds"
changes() {  # changes KIND PLATFORM SETTING=STANDARD OPTION...
  local kind=$1 platform=$2 key=${3%=*} standard=$3 own other trace=synthetic:random:footprint=64KiB,loads=64,ctas=16
  shift 3
  other=$(digest "$platform" --trace $trace --plugin "$new/$kind/build/new_$kind.so" "$@" --set "$standard")
  own=$(digest "$platform" --trace $trace --plugin "$new/$kind/build/new_$kind.so" "$@" --set "$key=new_$kind")
  [[ $own =~ ^digest:\ [0-9a-f]{16}$ ]] || complain "$kind: $own"
  [ "$own" != "$other" ] || complain "$kind: new_$kind gives the digest of $standard"
  cp "$folder/out/config.yaml" "$folder/$kind.yaml"
  [ "$own" = "$(digest "$folder/$kind.yaml" --trace $trace)" ] || complain "$kind: config.yaml does not give the same run"
}
changes replacement tiny l1.replacement=lru --set l1.size=4KiB --set l1.ways=4
changes warp_scheduler tiny sm.scheduler=gto
changes cta_placement tiny cta.scheduler=two_level_rr --set sm.sms=2
changes llc_organization isca19/adaptive ctl.organization=shared
changes dram_scheduler tiny mc.scheduler=fr_fcfs
changes row_policy tiny mc.page_policy=open
changes prefetcher tiny l1.prefetcher=none
cat >"$folder/links.yaml" <<'YAML'
instances:
  sm: {sms: 2}
  rtr: {inputs: links.outputs}
  links: {module: router_stage, inputs: l1.count, outputs: 2, route: line}
bind:
  - cta.cluster[c] -> sm[c].dispatch
  - sm[c].l1[s]    -> l1[c * sm.sms + s].sm
  - l1[i].noc      -> links.in[i]
  - links.out[k]   -> rtr.in[k]
  - rtr.out[k]     -> llc[k].noc
  - llc[i].mem     -> mc[i / mc.slices].slice[i % mc.slices]
  - mc[m].channel  -> ch[m].controller
YAML
changes routing tiny links.routing=divide --with "$folder/links.yaml"
changes address_map tiny address_map.kind=bits --set mc.count=4 --set llc.count=4
expect 1 "fr_fcfs, fcfs, fr_fcfs_cap" run tiny --set mc.scheduler=new_dram_scheduler --trace synthetic:random
expect 0 "new_dram_scheduler" modules memory_controller --plugin "$new/dram_scheduler/build/new_dram_scheduler.so"
cp "$new/dram_scheduler/build/new_dram_scheduler.so" "$folder/again.so"
expect 1 "brings a DRAM scheduler that this program or another plug-in has too: 'new_dram_scheduler'" \
  modules --plugin "$new/dram_scheduler/build/new_dram_scheduler.so" --plugin "$folder/again.so"

# The page: its commands, run where its project lies.
cd "$examples" || exit 1
export PATH=$folder/bin:$PATH
mkdir "$folder/bin" && ln -s "$strata" "$folder/bin/strata"
count=0
while read -r command; do
  count=$((count + 1))
  output=$(eval "$command --check-protocol" 2>&1) || complain "$command: $output"
done < <(grep -oE '^    strata run .*' "$page")
[ $count -eq 3 ] || complain "$count commands found on the page, not 3"
expect 0 "l1_direct" modules --plugin build/l1_direct.so
expect 0 "cache line" modules l1_direct --plugin build/l1_direct.so
expect 0 "requests that came" explain fixed_memory.requests --plugin build/fixed_memory.so
expect 0 "fixed_memory" netlist tiny --with fixed.yaml
expect 0 "mm2" area tiny --plugin build/l1_direct.so --set l1.module=l1_direct
expect 0 "4096" trace info ring:16KiB --plugin build/ring.so
expect 0 "bytes" trace convert ring:16KiB "$folder/ring.strata" --plugin build/ring.so
[ "$(digest tiny --trace ring:16KiB --plugin build/ring.so)" = "$(digest tiny --trace "$folder/ring.strata")" ] ||
  complain "the record of a plug-in's trace gives another digest"
expect 1 "ring:0: expected the size of the ring" run tiny --trace ring:0 --plugin build/ring.so
expect 2 "no such file" run tiny --trace ring:16KiB
expect 1 "l1.lines" run tiny --plugin build/l1_direct.so --set l1.module=l1_direct --set l1.lines=0 --trace synthetic:random
# A latency says what it is: 8 loads, one after the other, of a single warp.
cycles() { "$strata" run tiny --with fixed.yaml --trace synthetic:chase:loads=8,ctas=1,warps=1 --out "$folder/c" "$@" >/dev/null &&
  grep -m1 '"cycles":' "$folder/c/stats.json" | tr -dc 0-9; }
[ $(($(cycles --set mc.latency=1150) - $(cycles --set mc.latency=150))) -eq 8000 ] || complain "mc.latency is not what a load waits"

# The program of the page has the module without any plug-in, and refuses to have it twice.
program=$strata
strata=$examples/build/my_strata
expect 0 "fixed_memory" modules
sed 1d fixed.yaml >"$folder/fixed.yaml"
expect 0 "digest" run tiny --with "$folder/fixed.yaml" --trace synthetic:random:loads=8 --out "$folder/own" --quiet
expect 0 "l1_direct" modules --plugin build/l1_direct.so
expect 1 "brings a module that this program has too: 'fixed_memory'; give it another name" modules --plugin build/fixed_memory.so
strata=$program

# What is refused: one message each, and no code of it has run.
refuse() { expect 1 "$1" run tiny --plugin "$2" --trace synthetic:random:loads=8; }
refuse "cannot be read: " "$folder/none.so"
refuse "cannot be read: is a directory" "$folder"
refuse "is no plug-in: no STRATA_PLUGIN is in it" "$built/plain.so"
refuse "is no plug-in" "$page"
refuse "its module 'no_hook_l1' lacks the hook make" "$built/no_hook.so"
refuse "brings a module that this program has too: 'l1_private'; give it another name" "$built/name_of_ours.so"
refuse "brings the module 'one' twice" "$built/twice.so"
refuse "a module is called 'my l1'; allowed: a letter, then letters, digits and '_'" "$built/bad_name.so"
refuse "brings neither a module nor a kind of trace" "$built/empty.so"
refuse "its STRATA_PLUGIN fails: no licence found" "$built/throws.so"
damaged() { LC_ALL=C sed "$1" "$built/copy_l1.so" >"$folder/damaged.so"; }
damaged 's/\(strata plug-in mark: 01\x00\)1/\17/'
refuse "was built for version 7 of the plug-in interface, and this program has version 1" "$folder/damaged.so"
damaged 's/\(gcc\|clang\) [0-9][0-9]* with lib/gcc 99 with lib/'
refuse "was built by gcc 99 with libstdc++" "$folder/damaged.so"
damaged 's/\(string ABI 1[\x00]*\)[0-9]\.[0-9]\.[0-9]/\14.5.6/'
refuse "was built with SystemC 4.5.6, and this program with " "$folder/damaged.so"
head -c 9000 "$built/copy_l1.so" >"$folder/cut.so"
expect 1 "plug-in" modules --plugin "$folder/cut.so"
cp "$built/copy_l1.so" "$folder/again.so"
expect 1 "brings a module that the plug-in '$built/copy_l1.so' has too: 'copy_l1'" modules --plugin "$built/copy_l1.so" --plugin "$folder/again.so"
expect 0 "copy_l1" modules --plugin "$built/copy_l1.so" --plugin "$built/../$(basename "$built")/copy_l1.so"
printf 'platform: x\nextends: %s\nplugins: [missing.so]\n' "$folder/kept/config.yaml" >"$folder/bad.yaml"
expect 1 "bad.yaml:3:11: plug-in '$folder/missing.so': cannot be read" netlist "$folder/bad.yaml"
printf 'plugins: {a: b}\n' >"$folder/bad.yaml"
expect 1 "bad.yaml:1:10: plugins: expected a single value, found a mapping" netlist "$folder/bad.yaml"
exit $failed

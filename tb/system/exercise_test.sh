#!/bin/bash
# An exercise of docs/contributing.md, done for real: its diff is applied to a copy of the tree, what it touches is
# compiled and the program linked anew; then the function exercise_NAME says what must be seen of it.
# Usage: exercise_test.sh PROGRAM NAME, in the root of the tree; PROGRAM lies in a build of Ninja.
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$1"
name=$2
tree=$PWD
build=$(cd "$(dirname "$strata")" && pwd)
patch=$tree/docs/exercises/$name.patch
copy=$folder/tree
if ! [ -f "$build/build.ninja" ] || ! command -v ninja >/dev/null || ! command -v git >/dev/null; then
  echo "skipped: an exercise needs a build of Ninja, and git"
  exit 77
fi

grep -qF "(exercises/$name.patch)" docs/contributing.md || complain "docs/contributing.md does not name docs/exercises/$name.patch"
mkdir "$copy" && cp -r models platforms traces "$copy"
(cd "$copy" && git apply "$patch") || { complain "the diff does not apply"; exit 1; }
changed=$(sed -n 's#^+++ b/##p' "$patch" | grep -E '\.(h|cpp|inc)$')

# compile SOURCE OBJECT: with the command of the build, without precompiled headers and, since little runs, optimization.
compile() {
  local command from=$copy/$1
  if [[ $1 == */Unity/* ]]; then  # a group of sources, which it includes by their places
    from=$folder/group$number.cxx
    sed -E "s#$tree/(models|platforms|traces)/#$copy/\1/#g" "$tree/$1" > "$from"
  fi
  command=$(ninja -C "$build" -t commands "$2" | tail -1 | sed -E "s#$tree/(models|platforms|traces)/#$copy/\1/#g
    s#-I$tree( |\$)#-I$copy\1#g; s# -Winvalid-pch##g; s# -Xclang -include-pch -Xclang [^ ]+##g
    s# (-Xclang )?-include (-Xclang )?[^ ]+cmake_pch\.hxx##g; s# -MD -MT [^ ]+ -MF [^ ]+##g
    s# -o [^ ]+ -c [^ ]+# -O0 -o $3 -c $from#")
  (cd "$build" && eval "$command")
}

# The objects of the build that include what has changed; a new source is compiled as the first of its folder.
deps=$(ninja -C "$build" -t deps)
objects=()
replaced=()
number=0
link=$(ninja -C "$build" -t commands strata | tail -1)
while read -r object source; do
  library=$(sed -E 's#.*CMakeFiles/([^/]+)\.dir/.*#\1#' <<<"$object")
  grep -qE "lib$library\.a| $object " <<<"$link" || continue
  new=$folder/$((number++)).o
  compile "$source" "$object" "$new" || complain "$source does not compile"
  replaced+=("$object")
  objects+=("$new")
done < <(
  awk -v changed="$changed" -v root="$tree/" '
    BEGIN {count = split(changed, files, "\n")}
    /^[^ ].*: #deps/ {object = $1; sub(/:$/, "", object); source = ""; hit = 0}
    /^ / {
      path = $1
      sub(root, "", path); sub(/^(\.\.\/)+/, "", path)
      if (source == "") source = path
      for (i = 1; i <= count; ++i) if (path == files[i]) hit = 1
    }
    /^$/ {if (hit) print object, source}' <<<"$deps"
  grep -E '\.cpp$' <<<"$changed" | while read -r source; do
    [ -e "$source" ] && continue
    sibling=$(awk -v folder="^$(dirname "$source")/CMakeFiles/[^ /]*/(Unity/)?[^ /]*:" '$1 ~ folder {sub(/:$/, "", $1); print $1; exit}' <<<"$deps")
    echo "$sibling $source"
  done
)

# relink PROGRAM: a program of the build with these objects, in $folder under its own name.
relink() {
  local link object
  link=$(ninja -C "$build" -t commands "$1" | tail -1)
  for object in "${replaced[@]}"; do link=${link/ $object / }; done
  link=${link/ -o $1 / -o $folder/$(basename "$1") ${objects[*]} }
  (cd "$build" && eval "${link%% && cd *}") || { complain "$1 does not link"; exit 1; }
}
relink strata
strata=$folder/strata
# What must be seen of the change.
exercise_counter() {
  # A new counter: explained, in the module's list with its law, and in the results of every instance and application.
  expect 0 'counter l1_private.atomic_evictions: of these: by atomics' explain l1.atomic_evictions
  expect 0 'write_evictions >= atomic_evictions' modules l1_private
  expect 0 '' run tiny --trace synthetic:random:loads=200,footprint=8KiB,atomics=0.3 --quiet --out "$folder/results"
  found=$(grep -c '"atomic_evictions": [1-9]' "$folder/results/stats.json")
  instances=$(grep -c '"module": "l1_private"' "$folder/results/stats.json")
  [ "$found" -eq "$instances" ] && [ "$found" -gt 0 ] || complain "counted by $found of $instances L1s"
}
exercise_l1_toy() {
  # A new L1: seen in the table of modules, run by one word, with figures, laws, a ledger and a drawing.
  expect 0 "l1_toy " modules
  expect 0 "valid sectors" modules l1_toy
  expect 0 "fetched_sectors >= misses" modules l1_toy
  expect 0 "32 B sectors that misses asked for" explain fetched_sectors
  expect 1 "l1.lines: '0' is out of range" netlist tiny --set l1.module=l1_toy --set l1.lines=0
  "$strata" netlist tiny --set l1.module=l1_toy --dot "$folder/tiny.dot" >"$folder/netlist.txt" || complain "no drawing"
  grep -q l1_toy "$folder/tiny.dot" || complain "the drawing does not show it"
  expect 0 "L1 (loads)" run tiny --set l1.module=l1_toy --check-protocol \
    --trace synthetic:random:loads=64,ctas=8,warps=4 --out "$folder/run"
  counter() { grep -oE "\"$1\": *[0-9]+" "$folder/run/stats.json" | head -1 | tr -dc 0-9; }
  [ "$(counter fetched_sectors)" -ge 2000 ] || complain "$(counter fetched_sectors) sectors were fetched"
  grep -q "loads,l1,pipeline" "$folder/run/ledger.csv" || complain "no ledger"
  # It goes through the list of every module.
  relink tb/contract/strata_contract
  "$folder/strata_contract" l1_toy --drawn 8 >"$folder/contract.txt" 2>&1 || complain "contract: $(cat "$folder/contract.txt")"
  [ "$(grep -c '^l1_toy: [4-9][0-9] runs .* 0 findings$' "$folder/contract.txt")" -eq 1 ] || complain "$(cat "$folder/contract.txt")"
}
exercise_llc_organization() {
  # An LLC organization of one file: pages and messages know it, and it runs by one word.
  trace=traces/samples/vectoradd_160
  expect 0 'or the next one for each next line (striped)' modules llc_control
  expect 0 'striped' explain ctl.organization
  expect 1 "did you mean 'striped'?" run isca19/shared_observed --trace $trace --set ctl.organization=stripped
  expect 1 'selrep, striped, separated by' run isca19/multi --trace $trace --trace $trace --set ctl.organizations=shared:none
  for organization in shared striped; do
    "$strata" run isca19/shared_observed --trace $trace --quiet --check-protocol \
      --set ctl.organization=$organization --out "$folder/$organization" >"$folder/said" 2>&1 ||
      complain "$organization: $(cat "$folder/said")"
  done
  # Other slices serve the same requests.
  cmp -s "$folder/shared/slices.csv" "$folder/striped/slices.csv" && complain "striped is shared"
}
exercise_replacement() {
  # A new replacement policy: known by name, drawn into the pages, run, and unlike the others.
  expect 1 "lru, nru, nru_random, srrip, fifo, random (did you mean 'fifo'?)" run tiny --trace synthetic:random --set llc.replacement=fif
  expect 0 'the one that came first (fifo)' modules llc_slice
  for policy in lru nru srrip fifo random; do
    expect 0 '' run tiny --trace synthetic:random:ctas=4,loads=400,alu=0,footprint=40KiB,hits=0.5 --quiet \
      --set l1.size=1536 --set llc.size=16KiB --set l1.replacement=$policy --set llc.replacement=$policy --out "$folder/$policy"
    grep -o '"digest": "[^"]*"' "$folder/$policy/stats.json" >>"$folder/digests"
  done
  [ "$(sort -u "$folder/digests" | wc -l)" -eq 5 ] || complain "two policies did the same: $(cat "$folder/digests")"
}
"exercise_$name"
exit $failed

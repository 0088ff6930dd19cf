#!/bin/bash
# An exercise of docs/contributing.md, done for real: its diff is applied to a copy of the tree, what it touches is
# compiled and the program linked anew; then tb/system/exercises/NAME.sh says what must be seen of it.
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
# shellcheck source=/dev/null
. "$tree/tb/system/exercises/$name.sh"
exit $failed

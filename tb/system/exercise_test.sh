#!/bin/bash
# An exercise of docs/contributing.md, done for real: its diff is applied to a copy of the tree, what it touches is
# compiled and the program linked anew; then tb/system/exercises/NAME.sh says what must be seen of it. Where there is no diff,
# tb/system/exercises/NAME.py COPY changes the copy and prints the files that it has changed.
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

mkdir "$copy" && cp -r models platforms traces "$copy"
if [ -f "$patch" ]; then
  files=$(grep -c '^+++ ' "$patch")
  lines=$(grep -cE '^\+($|[^+])' "$patch")
  grep -qE "\(exercises/$name\.patch\), $lines lines in $files files?\b" docs/contributing.md ||
    complain "docs/contributing.md does not say: ($name.patch), $lines lines in $files file(s)"
  (cd "$copy" && git apply "$patch") || { complain "the diff does not apply"; exit 1; }
  changed=$(sed -n 's#^+++ b/##p' "$patch" | grep -E '^(models|platforms|traces)/.*\.(h|cpp|inc)$')
else
  changed=$(python3 "tb/system/exercises/$name.py" "$copy") || { complain "$changed"; exit 1; }
fi

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
# shellcheck disable=SC2317 # exercises call it
# plugin SOURCE: a plug-in of the copy, in $folder under its own name, compiled as those of Strata's sources that know plug-ins.
plugin() {
  local object file
  object=$(awk '$1 ~ /engine\/plugins\/CMakeFiles.*\.o:$/ {sub(/:$/, "", $1); print $1; exit}' <<<"$deps")
  file=$folder/$(basename "$1" .cpp)
  compile "$1" "$object" "$file.o" && c++ -shared -o "$file.so" "$file.o" || complain "$1 does not compile"
}
if [ ${#objects[@]} -ne 0 ]; then
  relink strata
  strata=$folder/strata
fi
# shellcheck source=/dev/null
. "$tree/tb/system/exercises/$name.sh"
exit $failed

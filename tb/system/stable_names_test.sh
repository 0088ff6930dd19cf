#!/bin/bash
# The names that stay from version 1.0 on (docs/guide/stable-names.md): the program has every name of tb/data/stable_names.txt,
# and the list has every name of the program. Usage: stable_names_test.sh PROGRAM [--update], in the root of the source tree.
. tb/system/expect.sh
export LC_ALL=C
list=tb/data/stable_names.txt

python3 tb/system/stable_names.py "$strata" "$folder" >"$folder/now" || { complain "no list of the program's names"; exit 1; }

# judge LIST NOW: prints what is wrong; 1: a name is gone, 2: a name is new.
judge() {
  local gone new
  gone=$(comm -23 <(tail -n +2 "$1" | sort) <(tail -n +2 "$2" | sort))
  new=$(comm -13 <(tail -n +2 "$1" | sort) <(tail -n +2 "$2" | sort))
  if [ -n "$gone" ] && [ "$(head -1 "$1")" = "$(head -1 "$2")" ]; then
    printf '%s\n' "$gone"
    echo "These names were promised to stay (docs/guide/stable-names.md) and are gone: keep the former name as an alias, or raise the major version in CMakeLists.txt."
    return 1
  fi
  [ -z "$new$gone" ] && [ "$(head -1 "$1")" = "$(head -1 "$2")" ] && return 0
  printf '%s\n' "$new"
  echo "These names are new: tb/system/stable_names_test.sh PROGRAM --update adds them to $list."
  return 2
}

judge "$list" "$folder/now" >"$folder/said"
verdict=$?
if [ "${2-}" = --update ]; then
  [ $verdict -eq 1 ] && { cat "$folder/said"; exit 1; }
  cp "$folder/now" "$list"
  exit
fi
[ $verdict -eq 0 ] || complain "$(cat "$folder/said")"

# The test itself: a list with one name more, with one less, and of an earlier major version.
sed '$ s/.*/&\nverb vanished/' "$folder/now" >"$folder/more"
judge "$folder/more" "$folder/now" >"$folder/said"
[ $? -eq 1 ] && grep -q '^verb vanished$' "$folder/said" && grep -q 'keep the former name as an alias, or raise the major version' "$folder/said" ||
  complain "a name that is gone: $(cat "$folder/said")"
grep -v '^verb run$' "$folder/now" >"$folder/fewer"
judge "$folder/fewer" "$folder/now" >"$folder/said"
[ $? -eq 2 ] && grep -q '^verb run$' "$folder/said" || complain "a new name: $(cat "$folder/said")"
sed '1 s/.*/version 0/' "$folder/more" >"$folder/earlier"
judge "$folder/earlier" "$folder/now" >"$folder/said"
[ $? -eq 2 ] || complain "a name that is gone in a new major version: $(cat "$folder/said")"

# Every kind of name is there: a table that changes its form would leave names out.
for kind in c c++ column exit-code header instance ledger module netlist parameter resource socket statistic stats summary value verb; do
  grep -q "^$kind " "$list" || complain "no names of the kind '$kind' are in $list"
done
exit $failed

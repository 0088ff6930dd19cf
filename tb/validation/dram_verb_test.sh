#!/bin/bash
# `strata dram` on every request list of tb/data/dram against the reference. Prints one line a bar.
# Usage: dram_verb_test.sh PROGRAM, from the repository's root.
set -u
strata=$1
data=tb/data/dram
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# One line a list and timing set: class, set, pattern, cycles of Strata and Ramulator, commands of both.
while IFS=, read -r pattern set _ _ total act pre rd wr _; do
  [ "$pattern" = pattern ] && continue
  "$strata" dram "$data/requests/$pattern.csv" --timing-set "$set" --commands "$folder/c" --replies "$folder/r" \
    >"$folder/text" || { echo "FAILED: $set $pattern"; failed=1; }
  case $pattern in
    m*) class=micro ;;
    *random*) class=random ;;
    *rw*) class=mixed ;;
    *) class=bulk ;;
  esac
  exact=-
  if grep -q "^$pattern," "$data/${set}_commands.csv"; then
    sed -n "1s/^pattern,//p; s/^$pattern,//p" "$data/${set}_commands.csv" | cmp -s - "$folder/c" &&
      sed -n "1s/^pattern,//p; s/^$pattern,//p" "$data/${set}_replies.csv" | cmp -s - "$folder/r" && exact=yes || exact=no
  fi
  cycles=$(sed -n 's/^cycles *\([0-9]*\),.*/\1/p' "$folder/text")
  commands=$(sed -n 's/^commands *ACT \([0-9]*\) PRE \([0-9]*\) RD \([0-9]*\) WR \([0-9]*\).*/\1 \2 \3 \4/p' "$folder/text")
  echo "$class $set $pattern $exact $cycles $total $commands $act $pre $rd $wr"
done <$data/expected.csv >"$folder/rows"

awk '
  function off(ours, theirs) { return theirs == 0 ? (ours != 0) * 100 : 100 * (ours > theirs ? ours - theirs : theirs - ours) / theirs }
  { n[$1]++
    worst = off($5, $6); if (worst > cycles[$1]) cycles[$1] = worst
    for (i = 0; i < 4; i++) { worst = off($(7 + i), $(11 + i)); if (worst > commands[$1]) commands[$1] = worst }
    if ($4 == "yes") exact[$1]++; if ($4 == "no") { differ[$1]++; print "differs: " $2, $3 } }
  function bar(class, limit, name) {
    ok = cycles[class] <= limit && commands[class] <= (class == "mixed" ? 10 : limit) && !differ[class] && n[class] > 0
    printf "%-22s %2d runs, %2d of %2d with a full trace equal to the byte; cycles off by at most %.2f %%, command counts by %.2f %% (bar %g %%): %s\n",
      name, n[class], exact[class], exact[class] + differ[class], cycles[class], commands[class], limit, ok ? "met" : "MISSED"
    if (!ok) missed = 1 }
  END { bar("micro", 0, "micro patterns"); bar("bulk", 1, "deterministic bulk"); bar("random", 5, "random")
        bar("mixed", 10, "mixed reads and writes"); exit missed }' "$folder/rows" || failed=1
exit $failed

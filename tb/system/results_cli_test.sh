#!/bin/bash
# What happens to results and other files: nothing that Strata did not write is replaced, nothing is read and written
# at once, a variant does not replace its baseline, a part does not replace the whole.
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$(realpath "$1")"
root=$PWD
short=synthetic:random:loads=8
long=synthetic:random:footprint=64MiB,loads=2000
run() { "$strata" run tiny --quiet "$@"; }
begun() { # waits until a run has made the draft of its results
  for _ in $(seq 300); do
    [ -n "$(find "$1" -maxdepth 1 -name '.*.new.*')" ] && return
    sleep 0.02
  done
  complain "no draft in $1"
}

# Results are replaced when they are as their run left them.
run --trace $short --out "$folder/o" >"$folder/first" || complain "a first run"
run --trace $short --out "$folder/o" >/dev/null || complain "a second run into the same place"
[ -s "$folder/o/manifest.json" ] || complain "no manifest"
for name in config.yaml epochs.csv; do
  cp "$folder/o/$name" "$folder/kept"
  echo "# mine" >>"$folder/o/$name"
  cp "$folder/o/$name" "$folder/mine"
  expect 1 "'$name' in it is not what Strata wrote" run tiny --trace $short --out "$folder/o"
  cmp -s "$folder/mine" "$folder/o/$name" || complain "a changed $name was replaced"
  cp "$folder/kept" "$folder/o/$name"
done
mkdir "$folder/own" "$folder/odd" "$folder/odd/stats.json" "$folder/empty"
echo "platform: mine" >"$folder/own/config.yaml"
expect 1 "the directory holds 'config.yaml', but no results that Strata wrote" run tiny --trace $short --out "$folder/own"
[ "$(cat "$folder/own/config.yaml")" = "platform: mine" ] || complain "a hand-written config.yaml is gone"
touch "$folder/odd/stats.json/thesis"
expect 1 "the directory holds 'stats.json'" run tiny --trace $short --out "$folder/odd"
[ -e "$folder/odd/stats.json/thesis" ] || complain "a folder named stats.json is gone"
run --trace $short --out "$folder/empty" >/dev/null || complain "an empty directory is refused"

# Versions without a manifest: replaced when the digest is that of the contents and nothing is younger.
run --trace $short --out "$folder/o" >/dev/null || complain "results that are as they were"
rm "$folder/o/manifest.json"
cp -rp "$folder/o" "$folder/old"
run --trace $short --out "$folder/old" >/dev/null || complain "results of an older version are refused"
cp -rp "$folder/o" "$folder/old2"
sleep 0.02
echo "# mine" >>"$folder/old2/config.yaml"
expect 1 "'config.yaml' in it was changed after the run" run tiny --trace $short --out "$folder/old2"
cp -rp "$folder/o" "$folder/old3"
sed -i '0,/"requests": [0-9]*/s//"requests": 7/' "$folder/old3/stats.json"
expect 1 "no results that Strata wrote" run tiny --trace $short --out "$folder/old3"

# Files that appear in the directory during a run stay; the results go beside it.
run --trace $short --out "$folder/busy" >/dev/null
"$strata" run tiny --quiet --trace $long --out "$folder/busy" --max-instructions 3000000 >/dev/null 2>"$folder/said" &
begun "$folder"
echo mine >"$folder/busy/notes.txt"
wait $! || complain "a run whose place has changed: $(cat "$folder/said")"
[ "$(cat "$folder/busy/notes.txt")" = mine ] || complain "a new file in the results is gone"
grep -q "has changed since the run began: the directory holds 'notes.txt'.*; the results are in $folder/busy.new" "$folder/said" ||
  complain "no word about where the results are: $(cat "$folder/said")"
[ -s "$folder/busy.new/stats.json" ] || complain "the results of a run whose place has changed are lost"

# An interrupted run does not replace the results of one that came to its end.
before=$(md5sum "$folder/empty/stats.json")
for signal in TERM USR1 XCPU; do  # SIGHUP may be ignored where tests run
  "$strata" run tiny --quiet --trace $long --out "$folder/empty" >/dev/null 2>"$folder/said" &
  begun "$folder"
  sleep 0.1
  kill -$signal $!
  wait $!
  code=$?
  [ $code -eq 130 ] || complain "SIG$signal: exit code $code"
  [ "$before" = "$(md5sum "$folder/empty/stats.json")" ] || complain "SIG$signal: a part has replaced the whole"
  grep -q "interrupted by SIG$signal" "$folder/said" || complain "SIG$signal is not named: $(cat "$folder/said")"
  grep -q "the results are in $folder/empty.partial" "$folder/said" || complain "no word about the part: $(cat "$folder/said")"
  grep -q '"reason": "interrupted"' "$folder/empty.partial/stats.json" || complain "SIG$signal: no part"
done
[ -e "$folder/empty.partial-2" ] && complain "one part is not replaced by the next"
run --trace $long --max-instructions 1000 --out "$folder/empty" >/dev/null || complain "a limit that was asked for"
grep -q '"max_instructions": 1000' "$folder/empty/stats.json" || complain "a limited run is not where it was wanted"
(trap '' HUP; exec "$strata" run tiny --quiet --trace $long --max-instructions 2000000 --out "$folder/nohup" >/dev/null 2>&1) &
begun "$folder"
kill -HUP $!
wait $!
grep -q '"reason": "max-instructions"' "$folder/nohup/stats.json" || complain "a hang-up that the caller ignores ends a run"

# The name of a run without --out: plain, or with a hash of what is different.
mkdir "$folder/names"
cd "$folder/names" || exit 1
names() { run --trace $short "$@" >/dev/null || complain "run $*"; }
names
plain=results/tiny-synthetic-random-loads-8
[ -s $plain/stats.json ] || complain "no $plain: $(ls results)"
before=$(md5sum $plain/stats.json)
count=1
for options in "--set llc.ways=8" "--set llc.ways=4" "--seed 7" "--timing lt" "--max-instructions 1000" "--epoch 50" \
    "--set cta.launch_jitter=2" "--observe sharing"; do
  # shellcheck disable=SC2086
  names $options
  count=$((count + 1))
  [ "$(ls results | wc -l)" -eq $count ] || complain "'$options' has replaced other results: $(ls results)"
  # shellcheck disable=SC2086
  names $options
  [ "$(ls results | wc -l)" -eq $count ] || complain "'$options' has two names: $(ls results)"
done
names --epoch 10000 --seed 1 --set llc.latency="$(sed -n '/^  llc:/,/^  [a-z]*:$/s/^    latency: //p' $plain/config.yaml)" >/dev/null
[ "$(ls results | wc -l)" -eq $count ] || complain "what changes nothing has another name: $(ls results)"
ls results | grep -qvE '^tiny-synthetic-random-loads-8(-[0-9a-f]{8})?$' && complain "names: $(ls results)"
[ "$before" != "$(md5sum $plain/stats.json)" ] || complain "the plain run was not replaced by itself"
# Traces of one name in two folders are two traces; where they lie tells them apart.
mkdir -p one/deep two
cp -r "$root/traces/samples/vectoradd_160" one/deep/va
cp -r "$root/traces/samples/vectoradd_160" two/va
for trace in one/deep/va two/va "$folder/names/two/va/kernelslist.g"; do
  run --trace "$trace" >/dev/null || complain "run --trace $trace"
done
for words in one.deep.va two.va; do
  [ -s results/tiny-$words/stats.json ] || complain "no results/tiny-$words: $(ls results)"
done
[ "$(ls results | wc -l)" -eq $((count + 2)) ] || complain "one trace has two names: $(ls results)"
cd "$root" || exit 1

# Nothing is written to a file that is read, in whatever spelling; no two outputs are one.
list=$folder/in.csv
cp tb/data/dram/requests/b10_random_rd.csv "$list"
ln "$list" "$folder/hard.csv"
ln -s in.csv "$folder/soft.csv"
for name in "$list" "$folder/./in.csv" "$folder/hard.csv" "$folder/soft.csv"; do
  expect 1 "is a file that is read" dram "$list" --timing-set hbm2 --commands "$name"
  expect 1 "is a file that is read" dram "$list" --timing-set hbm2 --replies "$name"
done
cmp -s "$list" tb/data/dram/requests/b10_random_rd.csv || complain "the request list was written"
expect 1 "name the same file" dram "$list" --timing-set hbm2 --commands "$folder/x.csv" --replies "$folder/names/../x.csv"
[ -e "$folder/x.csv" ] && complain "a refused output was written"
cp platforms/machines/timing_sets/hbm2.yaml "$folder/set.yaml"
expect 1 "is a file that is read" dram "$list" --timing-set "$folder/set.yaml" --commands "$folder/set.yaml"
cp -r traces/samples/vectoradd_160 "$folder/trace"
kernel=$(find "$folder/trace" -name 'kernel-*' | head -n 1)
sums=$(cat "$folder"/trace/* | md5sum)
expect 1 "is a file that is read" trace convert "$folder/trace" "$folder/trace/kernelslist.g"
expect 1 "is a file that is read" trace convert "$folder/trace/kernelslist.g" "$kernel"
expect 1 "is a file that is read" trace convert "$kernel" "$kernel"
"$strata" trace convert "$folder/trace" "$folder/trace.strata" >/dev/null || complain "trace convert"
expect 1 "is a file that is read" trace convert "$folder/trace.strata" "$folder/trace.strata"
[ "$sums" = "$(cat "$folder"/trace/* | md5sum)" ] || complain "trace convert has written what it reads"
cp traces/samples/saxpy/* "$folder/"
yaml=$(find "$folder" -maxdepth 1 -name 'saxpy*.yaml')
ptx=$(find "$folder" -maxdepth 1 -name '*.ptx' | head -n 1)
expect 1 "is a file that is read" trace record "$yaml" --out "$yaml"
expect 1 "is a file that is read" trace record "$yaml" --out "$ptx"
cp "$ptx" "$folder/names/0.ptx"
sed "s|module: .*|module: 0.ptx|" "$yaml" >"$folder/names/w.yaml"
expect 1 "is a file that is read" trace workloads "$folder/names/w.yaml" --dump "$folder/names"
cmp -s "$ptx" "$folder/names/0.ptx" || complain "--dump has written what it reads"
cp platforms/machines/tiny/tiny.yaml "$folder/mine.yaml"
echo "extends: mine.yaml" >"$folder/more.yaml"
expect 1 "is a file that is read" netlist "$folder/mine.yaml" --dot "$folder/mine.yaml"
expect 1 "is a file that is read" netlist "$folder/more.yaml" --svg "$folder/mine.yaml"
expect 1 "name the same file" netlist "$folder/mine.yaml" --svg "$folder/x" --dot "$folder/x"
cmp -s "$folder/mine.yaml" platforms/machines/tiny/tiny.yaml || complain "a drawing was written over the netlist"
run --trace $short --out "$folder/o2" >/dev/null
expect 1 "holds $folder/o2/config.yaml, which is read" run "$folder/o2/config.yaml" --trace $short --out "$folder/o2/"

# Outputs of one file appear whole or not at all, and an older one stays.
echo older >"$folder/commands.csv"
output=$(ulimit -f 1; "$strata" dram "$list" --timing-set hbm2 --commands "$folder/commands.csv" 2>&1)
[ $? -eq 1 ] || complain "disk full: wrong exit code: $output"
[ "$(cat "$folder/commands.csv")" = older ] || complain "disk full: an older file is gone"
echo older >"$folder/plot.svg"
(ulimit -f 1; "$strata" noc --inputs 2 --outputs 2 --load 0.1:0.9:0.02 --warmup 100 --cycles 100 --plot "$folder/plot.svg" >/dev/null 2>&1)
[ "$(cat "$folder/plot.svg")" = older ] || complain "disk full: an older plot is gone"
expect 1 "cannot write '/dev/full'" dram "$list" --timing-set hbm2 --commands /dev/full
"$strata" dram "$list" --timing-set hbm2 --commands /dev/stdout | grep -q "^cycle,cmd" || complain "/dev/stdout"
[ -z "$(find "$folder" -name '.*.new.*')" ] || complain "drafts are left: $(find "$folder" -name '.*.new.*')"
exit $failed

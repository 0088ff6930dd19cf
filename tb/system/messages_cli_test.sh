#!/bin/bash
# What the program says when it is given nonsense: short, printable, with what to do, in time, and with the right exit
# code. Usage: messages_cli_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$1"
tiny=(run tiny --trace synthetic:random:loads=8 --quiet --out "$folder/out")

# Results that are damaged: file and key, exit code 1.
"$strata" run tiny --trace synthetic:random:loads=8 --quiet --out "$folder/sound" >/dev/null
mkdir "$folder/bad"
damage() { sed "$1" "$folder/sound/stats.json" >"$folder/bad/stats.json"; }
damage 's/"cycles": [0-9]*,$/"cycles": [],/'
expect 1 "bad/stats.json: summary.cycles: expected a number or null, found a list" compare "$folder/sound" "$folder/bad"
expect 1 "bad/stats.json: summary.cycles" headroom tiny --trace synthetic:random:loads=8 --judge "$folder/bad"
damage 's/"exit_code": 0/"exit_code": null/'
expect 1 "bad/stats.json: run.exit_code: expected a whole number, found null" compare "$folder/bad"
damage '5,$d'
expect 1 "bad/stats.json:5:" compare "$folder/bad"
rm "$folder/bad/stats.json" && mkfifo "$folder/bad/stats.json"
expect 1 "bad/stats.json: " compare "$folder/bad"

# Whatever is quoted: no 100 KB lines, no escape sequences for the terminal.
long=$(head -c 100000 /dev/zero | tr '\0' k)
escape=$(printf '\033[31mred\007')
says() { "$strata" "$@" 2>&1; }
for given in "$long" "$escape"; do
  printf 'instances:\n  a: {module: "%s"}\n' "$(printf '%s' "$given" | sed 's/\x1b/\\x1b/; s/\x07/\\a/')" >"$folder/given.yaml"
  for words in "explain $given" "run $given" "run tiny --$given" "${tiny[*]} --set llc.$given=1" "netlist $folder/given.yaml" \
    "run tiny --trace synthetic:$given" "compare $given" "dram $given" "trace info synthetic:random:$given=1" "$given"; do
    # shellcheck disable=SC2086
    output=$(timeout 20 "$strata" $words 2>&1)
    code=$?
    [ $code -eq 1 ] || [ $code -eq 2 ] || complain "${words:0:40}: exit code $code"
    [ ${#output} -lt 6000 ] || complain "${words:0:40}: says ${#output} bytes"
    grep -q $'[\033\007]' <<<"$output" && complain "${words:0:40}: escape sequences reach the terminal"
  done
done
[[ "$(says explain "$escape")" == *'\x1b[31mred\x07'* ]] || complain "the escaped name cannot be read"

cp -r traces/samples/vectoradd_160 "$folder/$escape"
output=$(says trace info "$folder/$escape")
grep -q '\\x1b\[31mred' <<<"$output" || complain "trace info of an escaped name: $output"
grep -q $'[\033\007]' <<<"$output" && complain "trace info: escape sequences reach the terminal"

# A watchdog of one cycle barks at the first wait for memory.
expect 3 "no instruction and no reply for 1 cycles" "${tiny[@]}" --watchdog-cycles 1
expect 3 "no instruction and no reply for 150 cycles" "${tiny[@]}" --watchdog-cycles 150 --set l1.miss_latency=400

# Options that would do nothing.
expect 1 "name a workload, or give --measure" trace workloads --scale x
expect 1 "no scale 'x'; there are tiny, quick, paper" trace workloads gemm --scale x
expect 0 "gemm@quick" trace workloads gemm --scale quick

# The working directory of a shell is never replaced, nor a folder above it.
mkdir -p "$folder/here/below"
for out in . .. "$folder/here" ../../here/below; do
  output=$(cd "$folder/here/below" && "$strata" run tiny --trace synthetic:random:loads=8 --quiet --out "$out" 2>&1)
  [ $? -eq 1 ] || complain "--out $out: wrong exit code: $output"
  grep -q "the working directory" <<<"$output" || complain "--out $out: $output"
done
[ -z "$(ls -A "$folder/here/below")" ] || complain "something was written into the working directory"

# Too little memory is never the trace's fault.
reached=0
for limit in $(seq 40000 5000 200000); do
  (ulimit -v "$limit"; "$strata" --version >/dev/null 2>&1) || continue  # cannot even start; sanitizers never can
  output=$(ulimit -v "$limit"; "$strata" run isca19/shared --trace traces/samples/matmul_512 --max-instructions 1000 --quiet \
    --out "$folder/memory" 2>&1)
  code=$?
  [ $code -eq 0 ] && reached=1 && break
  [ $code -eq 4 ] || complain "$limit KiB: exit code $code: $output"
  grep -q "out of memory" <<<"$output" || complain "$limit KiB: no clear message: $output"
done
(ulimit -v 400000; "$strata" --version >/dev/null 2>&1) && [ $reached -eq 0 ] && complain "no limit was enough"

# Sizes that do not fit: the change that keeps what was asked for.
for size in 32 64 128; do
  expect 1 "l1.ways=8" netlist isca19/shared --check --set "l1.size=$size KiB"
  expect 0 "" netlist isca19/shared --check --set "l1.size=$size KiB" --set l1.ways=8
done

# Clusters that do not fit the slices: which settings the two numbers come from, and which files change both.
expect 1 "; inputs = sm.count, outputs = mc.slices = llc.count / mc.count" netlist isca19/private --check --set sm.count=16
expect 1 "; inputs = sm.count, outputs = mc.slices = llc.count / mc.count" netlist isca19/adaptive --check --set sm.count=16
expect 0 "" netlist isca19/private --check --set sm.count=16 --set llc.count=128
expect 0 "sms_160.yaml: sm.count=16, llc.count=128" run isca19/private --with isca19/variants/sms_160 \
  --trace synthetic:random:loads=8,ctas=4 --out "$folder/big"
grep -q 'sms_160.yaml: sm.count=16, llc.count=128"' "$folder/big/stats.json" || complain "the results do not say what --with set"

# A network between SMs: both directions, one that leads to SMs, and not without the parameter.
cat > "$folder/one_way.yaml" <<'EOF'
instances:
  sm:  {sms: 4, dsmem: network}
  dsm: {module: router_stage, count: sm.count, inputs: sm.sms, outputs: sm.sms, route: sm}
bind+:
  - sm[c].dsmem_out[s] -> dsm[c].in[s]
EOF
expect 0 "" netlist tiny --check --with tiny/variants/dsmem
expect 1 "unbound socket: sm[0].dsmem_in[0] is bound to nothing" netlist tiny --check --with "$folder/one_way.yaml"
expect 1 "unbound socket: sm[0].dsmem_out[0] is bound to nothing" netlist tiny --check --set sm.dsmem=network
expect 1 "has no socket 'dsmem_out' with these parameters" netlist tiny --check --with tiny/variants/dsmem --set sm.dsmem=own_port
expect 1 "dsm.route is slice, but sm[0].dsmem_out[0] sends it" netlist tiny --check --with tiny/variants/dsmem --set dsm.route=slice

# Words that a user has met are explained.
expect 0 "parameter llc_slice.ways: lines of a set" explain llc.ways
expect 0 "parameter llc_slice.ways: lines of a set" explain 'llc[3].ways'
expect 0 "l1 is an instance of l1_private in " explain L1
expect 0 "figure summary.l1_hit_rate" explain L1
expect 0 "parameter llc_control.memory_latency" explain bottleneck
expect 0 "is a choice of the parameter sm_cluster.scheduler" explain gto
expect 1 "'llc' is of the module llc_slice, which has no 'wayz' (did you mean 'ways'?)" explain llc.wayz
SECONDS=0
expect 1 "nothing is called 'kkkk" explain "$long"
[ $SECONDS -lt 5 ] || complain "explaining a long name takes $SECONDS s"
exit $failed

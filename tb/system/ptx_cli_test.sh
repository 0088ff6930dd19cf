#!/bin/bash
# `strata ptx analyse` and the read-only policies as users meet them. Usage: ptx_cli_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$1"

# The table: what is read-only, and why not.
expect 0 "gemm_param_0  yes            5          5" ptx analyse traces/kernels/gemm.ptx
expect 0 "written: st.global.f32 at traces/kernels/gemm.ptx:62" ptx analyse traces/kernels/gemm.ptx
expect 0 "marks: read-only loads as they stand" ptx analyse tb/data/ptx/mixed_sm80.ptx
expect 0 "(mixed.cu:11)" ptx analyse tb/data/ptx/mixed_sm80.ptx --kernel k1
[ "$("$strata" ptx analyse traces/kernels/lud.ptx --kernel lud_internal | grep -c '^lud')" = 1 ] ||
  complain "--kernel shows other kernels"
"$strata" ptx analyse traces/kernels/gemm.ptx --json >"$folder/json" || complain "--json fails"
grep -q '"reason": "written: st.global.f32 at traces/kernels/gemm.ptx:62"' "$folder/json" || complain "no reason in JSON"

# The rewrite: only `.ro` is added, it is read back, and it is its own rewrite.
for file in traces/kernels/*.ptx; do
  "$strata" ptx analyse "$file" --rewrite "$folder/ro.ptx" >/dev/null || complain "$file: no rewrite"
  [ "$(sed 's/ld\.global\.ro/ld.global/' "$folder/ro.ptx" | cmp - "$file" 2>&1)" = "" ] ||
    complain "$file: the rewrite changes more than the marks"
  "$strata" ptx analyse "$folder/ro.ptx" --rewrite "$folder/again.ptx" >/dev/null || complain "$file: not read back"
  cmp -s "$folder/ro.ptx" "$folder/again.ptx" || complain "$file: another rewrite of the rewrite"
done
expect 0 "10 loads are ld.global.ro now" ptx analyse traces/kernels/gemm.ptx --rewrite "$folder/gemm.ptx"
expect 0 "gemm_param_0  yes            5          0    0    5" ptx analyse "$folder/gemm.ptx"
ln -s gemm.ptx "$folder/link.ptx"
expect 1 "is the file that is read" ptx analyse "$folder/gemm.ptx" --rewrite "$folder/link.ptx"
expect 0 "0 loads are" ptx analyse "$folder/gemm.ptx" --rewrite "$folder/gemm.ptx" --force
expect 1 "cannot write" ptx analyse "$folder/gemm.ptx" --rewrite "$folder/none/x.ptx"
awk '{ print } /^{/ { print "{ .reg .b64 %m; ld.param.u64 %m, [gemm_param_1]; st.global.u32 [%m], 0; }" }' \
  "$folder/gemm.ptx" >"$folder/bad.ptx"
line=$(grep -n '%m' "$folder/bad.ptx" | cut -d: -f1)
expect 2 "the kernel writes gemm_param_1, with st.global.u32 in line $line" ptx analyse "$folder/bad.ptx"

# Faults.
expect 2 "nowhere.ptx: cannot be read: no such file" ptx analyse nowhere.ptx
expect 2 "cannot be read: is a directory" ptx analyse traces
expect 2 "no kernel 'gem' (did you mean 'gemm'?)" ptx analyse traces/kernels/gemm.ptx --kernel gem
expect 1 "no verb 'ptx analyze' (did you mean 'analyse'?)" ptx analyze
expect 1 "did you mean '--rewrite'?" ptx analyse traces/kernels/gemm.ptx --rewrit x
: >"$folder/empty.ptx"
expect 2 "no PTX file" ptx analyse "$folder/empty.ptx"
expect 0 "examples:" ptx --help
expect 0 "strata ptx analyse traces/kernels/bfs.ptx --json" ptx analyse --help

# Policies: of the command line, of the workload, of neither.
read_only_lines() { "$strata" trace info "$@" 2>&1 | awk '/read_only_load_lines/ {print $2}'; }
expect 0 "as the reference" trace record sp@tiny --read-only oracle --out "$folder/oracle" --verify
expect 0 "as the reference" trace record sp@tiny --read-only analysis --out "$folder/analysis" --verify
expect 0 "as the reference" trace record sp@tiny --out "$folder/nc" --verify
[ "$(read_only_lines "$folder/nc")" = 0 ] || complain "sp has loads that the compiler marked"
[ "$(read_only_lines "$folder/oracle")" -ge "$(read_only_lines "$folder/analysis")" ] || complain "the oracle knows less"
[ "$(read_only_lines "$folder/analysis")" -gt 0 ] || complain "nothing of sp is proved"
cp traces/samples/saxpy/saxpy.* "$folder"
[ "$(read_only_lines "workload:$folder/saxpy.yaml")" = 0 ] || complain "saxpy: loads are marked"
echo 'read_only: analysis' >>"$folder/saxpy.yaml"
[ "$(read_only_lines "workload:$folder/saxpy.yaml")" -gt 0 ] || complain "the workload's read_only changes nothing"
expect 0 "" trace record "$folder/saxpy.yaml" --read-only none --out "$folder/none"
[ "$(read_only_lines "$folder/none")" = 0 ] || complain "--read-only does not go before the workload's"
sed -i 's/read_only: analysis/read_only: oracel/' "$folder/saxpy.yaml"
expect 1 "read_only: 'oracel' is no choice; allowed: none, nc, analysis, oracle (did you mean 'oracle'?)" \
  trace record "$folder/saxpy.yaml" --verify
exit $failed

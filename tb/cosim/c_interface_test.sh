#!/bin/bash
# The C interface from C. Usage: c_interface_test.sh BENCH LIBRARY PROGRAM
# shellcheck source=tb/system/expect.sh
. tb/system/expect.sh "$3"
bench=$1
library=$2
for what in latency arguments two edges; do
  output=$("$bench" $what 2>&1) || complain "$what: $output"
done

# tick(1) x N is tick(N): the same replies in the same cycles, and the same counters. Every byte is checked on the way.
"$bench" step >"$folder/step" || complain "step: $(grep FAILED "$folder/step" | head -n 3)"
"$bench" leap >"$folder/leap" || complain "leap: $(grep FAILED "$folder/leap" | head -n 3)"
[ "$(wc -l <"$folder/step")" -eq 20001 ] || complain "$(wc -l <"$folder/step") lines of 20001"
cmp <(sort "$folder/step") <(sort "$folder/leap") || complain "cycles one by one and at once differ"

# The same where accesses carry the bytes themselves: L1s and slices hold them.
"$bench" carried >"$folder/carried" || complain "carried: $(grep FAILED "$folder/carried" | head -n 3)"
[ "$(wc -l <"$folder/carried")" -eq 20001 ] || complain "carried: $(wc -l <"$folder/carried") lines of 20001"

# The library is a plug-in too: its module can be looked at and drawn.
expect 0 "outside_port" netlist tb/cosim/behind.yaml --plugin "$library"
expect 0 "requests with a reply for every line" modules outside_port --plugin "$library"
expect 1 "no module 'outside_port'" netlist tb/cosim/behind.yaml

# Every function of the header is there, also in a library without its debug symbols.
exported=$(nm -D --defined-only "$library")
while read -r name; do
  grep -q " T $name$" <<<"$exported" || complain "$name is not exported"
done < <(grep -oE '\bstrata_[a-z]+\(' platforms/engine/c_api/strata_c.h | grep -v 'sets' | tr -d '(' | sort -u)
exit $failed

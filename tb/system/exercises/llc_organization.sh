# shellcheck shell=bash disable=SC2154
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

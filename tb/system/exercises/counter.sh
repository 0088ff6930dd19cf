# shellcheck shell=bash disable=SC2154
# A new counter of the LLC: explained, in the module's list with its law, and in the results of every instance and application.
expect 0 'counter llc_slice.write_merges: stores among the merges' explain llc.write_merges
expect 0 'merges >= write_merges' modules llc_slice
expect 0 '' run tiny --trace synthetic:random:loads=200,footprint=8KiB,stores=0.5 --set llc.sector=128 --quiet --out "$folder/results"
found=$(grep -c '"write_merges": [1-9]' "$folder/results/stats.json")
instances=$(grep -c '"module": "llc_slice"' "$folder/results/stats.json")
[ "$found" -eq "$instances" ] && [ "$found" -gt 0 ] || complain "counted by $found of $instances slices"

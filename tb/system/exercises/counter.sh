# shellcheck shell=bash disable=SC2154
# A new counter: explained, in the module's list with its law, and in the results of every instance and application.
expect 0 'counter l1_private.atomic_evictions: of these: by atomics' explain l1.atomic_evictions
expect 0 'write_evictions >= atomic_evictions' modules l1_private
expect 0 '' run tiny --trace synthetic:random:loads=200,footprint=8KiB,atomics=0.3 --quiet --out "$folder/results"
found=$(grep -c '"atomic_evictions": [1-9]' "$folder/results/stats.json")
instances=$(grep -c '"module": "l1_private"' "$folder/results/stats.json")
[ "$found" -eq "$instances" ] && [ "$found" -gt 0 ] || complain "counted by $found of $instances L1s"

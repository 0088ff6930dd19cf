#!/bin/bash
# The layer of random machines itself: what it notices, how it shrinks, how it goes on. Programs that misbehave on purpose
# stand in for strata. Usage: machines_test.sh STRATA_MACHINES
source "$(dirname "$0")/../system/expect.sh"

# program LINES: a stand-in that runs LINES for each call and then reports a digest.
program() {
  cat >"$folder/program" <<EOF
#!/bin/bash
echo run >>"$folder/calls"
out=\${@: -1}
mkdir -p "\$out"
$1
echo "digest: 0123456789abcdef"
EOF
  chmod +x "$folder/program"
}

# layer CODE TEXT OPTIONS...
layer() {
  expect "$1" "$2" --program "$folder/program" --seed 5 "${@:3}"
}

program ''
layer 0 '30 machines in 60 runs: 30 clean, 0 refused, 0 failed in 0 ways' --runs 30 --jobs 2
layer 0 'seed 5, cases 0 to ' --seconds 1

program '[[ "$*" == *" l1."*=* ]] && kill -SEGV $$'
layer 1 'Segmentation fault' --runs 200 --log "$folder/log"
small=$("$strata" --program "$folder/program" --seed 5 --runs 200 2>&1 | sed -n 's/^  shrunk: //p')
grep -q '^strata run tiny --set l1\.' <<<"$small" || complain "not shrunk: $small"
[ "$(grep -o -- --set <<<"$small" | wc -l)" -eq 1 ] || complain "more than one setting is left: $small"

# A log is taken up where it ends, and belongs to one seed.
rm "$folder/calls"
layer 1 '210 machines' --runs 210 --log "$folder/log"
[ "$(wc -l <"$folder/calls")" -le 200 ] || complain "cases of the log are run again: $(wc -l <"$folder/calls") calls"
expect 2 'is the log of another seed: 5' --program "$folder/program" --seed 6 --runs 1 --log "$folder/log"

program '[[ "$*" == *--epoch* ]] && { echo "digest: 0000000000000000"; exit; }'
layer 1 'another digest with another --epoch' --runs 40
program '[[ "$*" == *--check-protocol* ]] && { echo "digest: 0000000000000000"; exit; }'
layer 1 'another digest with --check-protocol' --runs 1
program 'echo "Warning: (W535) attempt" >&2'
layer 1 "raw text '(W'" --runs 1
program 'rmdir "$out"; echo "strata: --set l1.size: internal error: 7" >&2; exit 1'
layer 1 "raw text 'internal error'" --runs 1
program 'exit 3'
layer 1 'exit code 3' --runs 1
program 'rmdir "$out"; exit 1'
layer 1 'a refusal without a message' --runs 1
program 'while :; do :; done'
layer 1 'does not end' --runs 1 --cpu-seconds 1 --tries 0

# What a message proposes must be allowed.
program 'for word; do [[ $word == *.*=* ]] && {
  rmdir "$out"; echo "strata: --set $word: ${word%=*}: no; allowed: 1 to 9 (nearest: ${word##*=})" >&2; exit 1; }; done'
layer 1 'a proposed value is refused' --runs 20
exit $failed

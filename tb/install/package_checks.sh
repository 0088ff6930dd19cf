#!/bin/bash
# package_checks.sh: what the installed program is used for, in an empty folder, with `strata` in PATH and nothing of the tree that
# it was built from. A line FAILED for each thing that does not work.
set -u
failed=0
# works TEXT COMMAND...: it ends well and says so.
works() {
  local text=$1 output
  shift
  output=$("$@" 2>&1) || { echo "FAILED: $*: exit code $?: $output"; failed=1; return; }
  grep -qE -- "$text" <<<"$output" || { echo "FAILED: $*: no '$text' in: $output"; failed=1; }
}
works "^digest: [0-9a-f]{16}$" strata run tiny --trace synthetic:random:loads=8 --quiet --out synthetic
works "^verdict " strata run tiny --workload va@tiny --max-instructions 20000 --out workload
works "^digest: " strata run isca19/shared --trace traces/samples/vectoradd_160 --quiet --out sample
works "within|%" strata compare synthetic sample
works "" strata report synthetic sample --out page.html
works "id=.data" cat page.html
works "joules|mJ|uJ|J" strata energy synthetic
works "^va " strata trace workloads
works " runs$" strata reproduce isca19 --quick --figure 11 --list
printf 'platforms: tiny\nset: {l1.ways: [4, 12]}\ntraces: "synthetic:random:loads=8"\n' >two.yaml
works "2 of 2 points are done" strata sweep two.yaml --quiet --out two
page=$(dirname "$(command -v strata)")/../share
works '^\.SH "STRATA SWEEP"' cat "$page/man/man1/strata.1"
! command -v man >/dev/null || works "STRATA SWEEP" env MANPATH="$page/man" man --pager=cat strata
# shellcheck disable=SC1091 # where it is installed
. "$page/bash-completion/completions/strata"
COMP_WORDS=(strata run isca19/sha) COMP_CWORD=2
_strata
[ "${COMPREPLY[*]}" = "isca19/shared isca19/shared_observed" ] || { echo "FAILED: completion gives '${COMPREPLY[*]}'"; failed=1; }
if command -v python3 >/dev/null; then
  [ "$(command -v strata)" = /usr/bin/strata ] || export PYTHONPATH=$page/strata/platforms/python
  works "l1.ways" python3 -m strata two
fi
exit $failed

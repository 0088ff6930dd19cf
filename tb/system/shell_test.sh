#!/bin/bash
# The manual page has every verb and option, and bash completes verbs, options, platforms and workloads.
source "$(dirname "$0")/expect.sh"
page=$folder/strata.1
platforms/cli/shell/make_man "$strata" >"$page" || complain "no manual page"
for text in '.SH "STRATA SWEEP"' '.SH "STRATA INTERFERENCE"' '.SS "strata trace convert"' '\-\-watchdog\-cycles'; do
  grep -qF -- "$text" "$page" || complain "no '$text' in the manual page"
done
if command -v groff >/dev/null; then
  said=$(groff -man -ww -z -T utf8 "$page" 2>&1 | grep -v 'cannot adjust line')
  [ -z "$said" ] || complain "groff: $said"
fi

ln -s "$(realpath "$strata")" "$folder/strata"
export PATH=$folder:$PATH
source platforms/cli/shell/strata.bash
completes() {  # completes TEXT WORD...: what the last word becomes
  local text=$1
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _strata
  [ "${COMPREPLY[*]}" = "$text" ] || complain "$*: '${COMPREPLY[*]}' instead of '$text'"
}
completes "interference" strata inter
completes "--watchdog-cycles" strata run tiny --watch
completes "isca19/shared isca19/shared_observed" strata run isca19/sha
completes "vma" strata run tiny --workload vm
completes "convert" strata trace con
completes "--clear" strata trace cache --cl
completes "docs/sweeps" strata sweep docs/sweeps
exit $failed

# Sourced by the tests of the program: $strata is the program, $folder is scratch space that goes away at the end, and
# a test ends with `exit $failed`.
set -u
strata=$1
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
export STRATA_CACHE=${STRATA_CACHE:-$folder/cache}
failed=0
complain() { echo "FAILED: $*"; failed=1; }

# expect CODE TEXT ARGUMENTS...: exit code, and a text that the output must hold.
expect() {
  local code=$1 text=$2
  shift 2
  local output
  output=$("$strata" "$@" 2>&1)
  local got=$?
  [ $got -eq "$code" ] || complain "strata $*: exit code $got, not $code: $output"
  grep -qF -- "$text" <<<"$output" || complain "strata $*: no '$text' in: $output"
}

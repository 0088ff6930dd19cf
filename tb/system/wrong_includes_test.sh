#!/bin/bash
# Includes that point the wrong way, each put into a copy of the sources: the check of dependencies names them all.
# Usage: wrong_includes_test.sh PROGRAM
source "$(dirname "$0")/expect.sh"
check() { cmake -DSOURCE_DIR="$folder/$1" -P platforms/cmake/check_dependencies.cmake 2>&1; }
# wrong FILE INCLUDE TEXT: the copy with this line at the end of the file fails, and says TEXT.
wrong() {
  local output
  rm -rf "$folder/copy"
  cp -r "$folder/right" "$folder/copy"
  [ -e "$folder/copy/$1" ] || complain "there is no $1"
  echo "#include \"$2\"" >>"$folder/copy/$1"
  output=$(check copy) && complain "$1 may include $2"
  grep -qF -- "$3" <<<"$(tr -s '\n ' ' ' <<<"$output")" || complain "$1 includes $2, but no '$3' in: $output"
}
mkdir "$folder/right"
cp -r models traces platforms "$folder/right"
find "$folder/right" -type f ! -name '*.h' ! -name '*.cpp' -delete
mkdir "$folder/right/docs"
cp docs/contributing.md "$folder/right/docs"  # its map is checked, too
check right >"$folder/said" || complain "the sources as they are: $(cat "$folder/said")"

wrong models/cta_dispatcher/cta_launch_if.h models/sm_cluster/sm_core.h \
  'models/cta_dispatcher includes models/sm_cluster in a ring of folders: models/cta_dispatcher/cta_launch_if.h'
wrong models/llc_predictors/bandwidth_model.h models/llc_slice/llc_slice_params.h \
  'models/llc_predictors includes models/llc_slice in a ring of folders: models/llc_predictors/bandwidth_model.h'
wrong models/common/units.h models/cache/set_index.h 'models/common/units.h (common) includes models/cache/set_index.h (cache)'
wrong models/llc_slice/llc_slice_core.h models/tlm/txn.h 'llc_slice_core.h (core) must do without SystemC'
wrong models/l1/l1.h tb/support/catch.h 'includes from the test benches'
exit $failed

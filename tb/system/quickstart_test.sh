#!/bin/bash
# ./quickstart builds the program and nothing of the tests; --test builds and runs them. Its own steps run in an empty
# folder where cmake, ctest and the program only note how they are called.
. tb/system/expect.sh
build=$(cd "$(dirname "$strata")" && pwd)
place=$folder/place
mkdir -p "$place/bin" "$place/platforms/cmake" "$place/build/release"
cp quickstart "$place"
echo exit 0 >"$place/platforms/cmake/install_packages"
for tool in bin/cmake bin/ctest build/release/strata; do
  printf '#!/bin/sh\necho "%s $*" >>"%s/called"\n' "${tool##*/}" "$place" >"$place/$tool"
  chmod +x "$place/$tool"
done
quickstart() {  # quickstart OPTION...: what it called
  rm -f "$place/called"
  PATH="$place/bin:$PATH" "$place/quickstart" "$@" >/dev/null || complain "quickstart $*"
  cat "$place/called"
}

quickstart >"$folder/main"
grep -q '^strata run isca19/private --trace traces/samples/hotline_l2' "$folder/main" || complain "no run: $(cat "$folder/main")"
grep -q '^ctest' "$folder/main" && complain "tests run: $(cat "$folder/main")"
target=$(sed -n 's/^cmake --build .*--target \([^ ]*\).*/\1/p' "$folder/main")
[ "$target" = strata ] || complain "the main job builds '$target': $(cat "$folder/main")"

quickstart --test >"$folder/test"
grep -q '^cmake --build .*--target all ' "$folder/test" || complain "not all is built: $(cat "$folder/test")"
grep -q '^ctest' "$folder/test" || complain "no tests run: $(cat "$folder/test")"
grep -q '^strata' "$folder/test" && complain "main job run: $(cat "$folder/test")"

# Every command behind the program, whether or not it has run already.
if [ -f "$build/build.ninja" ]; then
  ninja -C "$build" -t commands strata >"$folder/commands" || complain "ninja"
  [ "$(grep -c ' -c ' "$folder/commands")" -gt 100 ] || complain "only $(grep -c ' -c ' "$folder/commands") compilations"
  grep -m1 -iE ' -o tb/|catch2' "$folder/commands" && complain "the program waits for tests"
fi
exit $failed

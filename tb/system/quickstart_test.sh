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
home=$folder/home
quickstart() {  # quickstart OPTION...: what it called; what it printed is in $folder/printed
  rm -f "$place/called"
  HOME=$home PATH="$place/bin:${more_path-}/usr/bin:/bin" "$place/quickstart" "$@" >"$folder/printed" || complain "quickstart $*"
  cat "$place/called"
}
printed() { grep -qF -- "$1" "$folder/printed" || complain "no '$1' in: $(cat "$folder/printed")"; }

quickstart >"$folder/main"
grep -q '^strata run isca19/private --trace traces/samples/hotline_l2' "$folder/main" || complain "no run: $(cat "$folder/main")"
grep -q '^ctest' "$folder/main" && complain "tests run: $(cat "$folder/main")"
target=$(sed -n 's/^cmake --build .*--target \([^ ]*\).*/\1/p' "$folder/main")
[ "$target" = strata ] || complain "the main job builds '$target': $(cat "$folder/main")"
page=results/quickstart/matmul_512.html
[ "$(tail -1 "$folder/main")" = "strata report results/quickstart/matmul_512/shared results/quickstart/matmul_512/private --out $page" ] ||
  complain "the last command makes no page: $(tail -1 "$folder/main")"
printed "page      file://$place/$page"
[ "$(grep -cE '^(next)? +build/release/strata [a-z]+ ' "$folder/printed")" -eq 3 ] || complain "not three next commands: $(cat "$folder/printed")"

# Where ~/.local/bin is not in PATH nothing is made there, and a line says what to add.
printed "export PATH=\"$place/build/release:\$PATH\""
[ -e "$home" ] && complain "something was made in the home folder"

# Where it is, a link is made once. Another program stays, and a link that leads nowhere is made anew.
program=$(readlink -f "$place/build/release/strata") link=$home/.local/bin/strata
more_path=$home/.local/bin:
quickstart >/dev/null
[ "$(readlink "$link")" = "$program" ] || complain "no link: $(cat "$folder/printed")"
printed "made: $link points to $program"
printed "next      strata run"
quickstart >/dev/null
printed "$link points to $program already"
grep -q 'export PATH' "$folder/printed" && complain "a line for PATH beside the link"
ln -sfn "$folder/vanished/strata" "$link"
quickstart >/dev/null
printed "made: $link points to $program"
printf '#!/bin/sh\n' >"$home/other" && chmod +x "$home/other" && ln -sfn "$home/other" "$link"
quickstart >/dev/null
[ "$(readlink "$link")" = "$home/other" ] || complain "the link to another program was replaced"
printed "$link is another program, which stays: $home/other"
printed "export PATH="
rm "$link"

quickstart --test >"$folder/test"
grep -q '^cmake --build .*--target all ' "$folder/test" || complain "not all is built: $(cat "$folder/test")"
grep -q '^ctest' "$folder/test" || complain "no tests run: $(cat "$folder/test")"
grep -q '^strata' "$folder/test" && complain "main job run: $(cat "$folder/test")"
[ -e "$link" ] && complain "--test makes a link"

# Every command behind the program, whether or not it has run already.
if [ -f "$build/build.ninja" ]; then
  ninja -C "$build" -t commands strata >"$folder/commands" || complain "ninja"
  [ "$(grep -c ' -c ' "$folder/commands")" -gt 100 ] || complain "only $(grep -c ' -c ' "$folder/commands") compilations"
  grep -m1 -iE ' -o tb/|catch2' "$folder/commands" && complain "the program waits for tests"
fi
exit $failed

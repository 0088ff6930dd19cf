#!/bin/bash
# The Debian package of this build, unpacked into an empty folder and used there. Usage: package_test.sh PROGRAM BUILD
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/../system/expect.sh" "$(realpath "$1")"
build=$(realpath "$2")
for tool in cpack dpkg-deb dpkg-shlibdeps; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done

# Of the program alone: the other one takes as long again, and system_install uses what it holds.
(cd "$folder" && cpack -G DEB --config "$build/CPackConfig.cmake" -B "$folder/made" -D CPACK_COMPONENTS_ALL=strata) >"$folder/said" 2>&1 ||
  complain "cpack: $(tail -5 "$folder/said")"
package=$(echo "$folder"/made/*.deb)
[ -s "$package" ] || { complain "no package: $(cat "$folder/said")"; exit 1; }
field() { dpkg-deb --field "$package" "$1"; }
[ "$(field Package)" = strata ] || complain "the package is named $(field Package)"
[ "$(field Version)" = "$("$strata" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -1)" ] || complain "its version is $(field Version)"
for library in libc6 libstdc++6 libsystemc libyaml-cpp libsqlite3-0 libboost-program-options; do
  field Depends | grep -q "$library" || complain "the package does not depend on $library: $(field Depends)"
done

dpkg-deb --extract "$package" "$folder/root"
at=$folder/root/usr
for file in share/man/man1/strata.1 share/bash-completion/completions/strata share/doc/strata/copyright share/strata/platforms/python/strata/__init__.py; do
  [ -s "$at/$file" ] || complain "the package lacks $file"
done
[ -e "$at/include" ] && complain "headers are in the package of the program"
grep -rIl "$build" "$at/share" | head -3 | grep . && complain "files of the package name the folder of the build"

# Elsewhere, without anything of the build: the same run, and what the program brings along.
mkdir "$folder/elsewhere" && cd "$folder/elsewhere" || exit 1
alone() { env -i PATH="$at/bin:/usr/bin:/bin" HOME="$folder" STRATA_CACHE="$folder/cache" "$@"; }
ours=$("$strata" run tiny --trace synthetic:random:loads=8 --quiet --out "$folder/ours")
theirs=$(alone strata run tiny --trace synthetic:random:loads=8 --quiet --out theirs) || complain "the packaged program fails: $theirs"
[[ $ours =~ ^digest:\ [0-9a-f]{16}$ ]] && [ "$ours" = "$theirs" ] || complain "the packaged program gives '$theirs', not '$ours'"
alone strata run isca19/shared --workload va@tiny --max-instructions 20000 --quiet --out workload >/dev/null || complain "no platform or workload"
alone strata reproduce isca19 --quick --figure 11 --list | grep -q " runs$" || complain "no paper"
alone strata report theirs --out page.html >/dev/null || complain "no page"
alone strata energy theirs >/dev/null || complain "no constants of energy"
exit $failed

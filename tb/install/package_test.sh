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
for file in share/man/man1/strata.1 share/bash-completion/completions/strata share/doc/strata/copyright share/strata/platforms/python/strata/__init__.py share/doc/strata/guide/sweep.md share/doc/strata/sweeps/l1.yaml; do
  [ -s "$at/$file" ] || complain "the package lacks $file"
done
[ -e "$at/include" ] && complain "headers are in the package of the program"
grep -rIl "$build" "$at/share" | head -3 | grep . && complain "files of the package name the folder of the build"

outside=$(cd "$folder/root" && find . -mindepth 1 -maxdepth 1 ! -name usr)
[ -z "$outside" ] || complain "the package has files outside of /usr: $outside"

# Elsewhere, without anything of the build: the same run, and what the program brings along. Empty folders hide the source tree, where
# the program looks first.
checks=$folder/package_checks.sh source=$PWD
cp "$(dirname "$0")/package_checks.sh" "$checks"
mkdir "$folder/elsewhere" && cd "$folder/elsewhere" || exit 1
ours=$("$strata" run tiny --trace synthetic:random:loads=8 --quiet --out "$folder/ours")
hidden='for at in "$@"; do mount -t tmpfs none "$at" || exit 77; done'
if unshare --mount --map-root-user bash -c "$hidden" - "$build" "$source" 2>"$folder/said"; then
  said=$(unshare --mount --map-root-user bash -c "$hidden; exec env -i PATH=$at/bin:/usr/bin:/bin HOME=$folder STRATA_CACHE=$folder/cache $checks" - "$build" "$source" 2>&1) ||
    complain "$said"
else
  echo "the source tree stays in sight: $(tail -1 "$folder/said")"
  said=$(env -i PATH="$at/bin:/usr/bin:/bin" HOME="$folder" STRATA_CACHE="$folder/cache" "$checks" 2>&1) || complain "$said"
fi
theirs=$(sed -n 's/.*"digest": "\(.*\)".*/digest: \1/p' synthetic/stats.json)
[[ $ours =~ ^digest:\ [0-9a-f]{16}$ ]] && [ "$ours" = "$theirs" ] || complain "the packaged program gives '$theirs', not '$ours'"
exit $failed

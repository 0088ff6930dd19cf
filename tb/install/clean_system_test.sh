#!/bin/bash
# Installs the Debian package of this build with apt into a Debian that has nothing else, and uses it there. It downloads some
# 150 MB and takes two minutes: run it with STRATA_CLEAN_SYSTEM=1, as root. Usage: clean_system_test.sh PROGRAM BUILD
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/../system/expect.sh" "$(realpath "$1")"
build=$(realpath "$2")
lacks=
for tool in cpack dpkg-shlibdeps mmdebstrap; do
  command -v $tool >/dev/null || lacks="there is no $tool"
done
[ "$(id -u)" = 0 ] || lacks="only root may"
[ -n "${STRATA_CLEAN_SYSTEM-}" ] || lacks="STRATA_CLEAN_SYSTEM is not set"
[ -n "$lacks" ] && { echo "skipped: $lacks"; exit 77; }

(cd "$folder" && cpack -G DEB --config "$build/CPackConfig.cmake" -B "$folder/made" -D CPACK_COMPONENTS_ALL=strata) >"$folder/said" 2>&1 ||
  complain "cpack: $(tail -5 "$folder/said")"
# shellcheck disable=SC1091 # of the machine: the package is for the release that it is built on
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
root=$folder/root
mkdir "$root"
cat >"$folder/inside" <<'SH'
set -e
apt-get install -y --no-install-recommends /package.deb man-db python3
cd "$(mktemp -d)"
/package_checks.sh
apt-get purge -y strata
! find /usr -name '*strata*' | grep .
SH
mmdebstrap --variant=minbase --format=directory "$release" "$root" --dpkgopt='path-include=/usr/share/man/*' \
  --customize-hook="cp $(echo "$folder"/made/*.deb) \$1/package.deb" --customize-hook="cp $(dirname "$(realpath "$0")")/package_checks.sh \$1/" \
  --customize-hook="cp $folder/inside \$1/" --customize-hook='chroot $1 bash /inside' >"$folder/said" 2>&1 || complain "$(tail -40 "$folder/said")"
exit $failed

#!/usr/bin/env bash
# Installs, upgrades and removes the Debian package of target/package on a Debian that is booted for it
# in a container with its own systemd. Needs root, and mmdebstrap and systemd-container from Debian.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
    echo "package-test: $1" >&2
    exit 1
}

[ "$(id -u)" = 0 ] || fail "booting a container needs root"
for program in mmdebstrap systemd-nspawn dpkg-deb; do
    command -v "$program" >/dev/null ||
        fail "$program is missing (apt install mmdebstrap systemd-container)"
done
deb=$(ls -t target/package/patrol_*.deb 2>/dev/null | head -n 1)
[ -n "$deb" ] || fail "there is no Debian package; run \`make package\`"

folder=$PWD/target/package-test
mkdir -p "$folder"
# The base system is downloaded once.
if [ ! -e "$folder/base.tar" ]; then
    mmdebstrap --quiet --variant=minbase --include=systemd,systemd-sysv,adduser,procps bookworm "$folder/base.new" \
        --format=tar || fail "Debian's packages cannot be downloaded"
    mv "$folder/base.new" "$folder/base.tar"
fi
rm -rf "$folder/root" "$folder/new"
mkdir -p "$folder/root"
tar -C "$folder/root" -xf "$folder/base.tar"

test=$folder/root/test
mkdir "$test"
cp "$deb" "$test/old.deb"
cp tests/package/inside.sh tests/package/company.ndjson "$test/"
# The new version: the same program, and a configuration file that changed.
dpkg-deb --raw-extract "$deb" "$folder/new"
sed -i 's/^Version: .*/&+test/' "$folder/new/DEBIAN/control"
echo '# a line of the new version' >>"$folder/new/etc/patrol/patrol.toml"
rm -f "$folder/new/DEBIAN/md5sums"
dpkg-deb --root-owner-group -Znone --build "$folder/new" "$test/new.deb" >/dev/null
dpkg-deb --field "$test/new.deb" Version >"$test/new.version"

cat >"$folder/root/etc/systemd/system/package-test.service" <<'UNIT'
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/bash -c '/test/inside.sh >/test/result 2>&1; systemctl --no-block poweroff'
TimeoutStartSec=20min
UNIT
mkdir -p "$folder/root/etc/systemd/system/default.target.wants"
ln -s ../package-test.service "$folder/root/etc/systemd/system/default.target.wants/"
timeout 1500 systemd-nspawn --quiet --directory "$folder/root" --register=no --keep-unit --private-network --boot \
    --console=read-only >"$folder/boot.log" 2>&1 </dev/null || true
[ -e "$test/result" ] || fail "the container did not boot; see $folder/boot.log"
cat "$test/result"
[ "$(tail -n 1 "$test/result")" = PASSED ] || fail "the Debian package failed its test (above)"

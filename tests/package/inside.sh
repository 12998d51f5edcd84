#!/usr/bin/env bash
# The test of the Debian package: runs as a service of a freshly booted Debian without Patrol, started by
# tests/package/debian.sh. Installs, uses, upgrades, removes and purges the package.
set -euo pipefail
cd /test

step() { echo "== $1"; }

fail() {
    echo "FAILED: $1"
    systemctl status patrol --no-pager || true
    journalctl --unit patrol --no-pager --lines 30 || true
    exit 1
}

# A condition, tried for 60 s.
eventually() {
    for _ in $(seq 120); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.5
    done
    fail "not within 60 s: $*"
}

is() { [ "$1" = "$2" ] || fail "$3: $1 instead of $2"; }

owner() { stat --format '%U:%G %a' "$1"; }

ready() { patrol-service health; }

# The status of a GET with a token, from the running service.
get() {
    exec 3<>/dev/tcp/127.0.0.1/8080
    printf 'GET %s HTTP/1.1\r\nHost: patrol\r\nConnection: close\r\nAuthorization: Bearer %s\r\n\r\n' "$1" "$2" >&3
    cat <&3 | head -n 1 | cut -d ' ' -f 2
    exec 3<&-
}

main_process() { systemctl show --property MainPID --value patrol; }

step "install"
dpkg --install old.deb
eventually ready
is "$(systemctl is-active patrol) $(systemctl is-enabled patrol)" "active enabled" "the service"
is "$(ps -o user= -p "$(main_process)")" patrol "the user of the service"
is "$(owner /etc/patrol/patrol.toml)" "root:patrol 640" "the configuration"
is "$(owner /var/lib/patrol)" "patrol:patrol 750" "the folder of data"
is "$(owner /var/lib/patrol/patrol.db)" "patrol:patrol 600" "the store"
is "$(owner /var/backups/patrol)" "patrol:patrol 700" "the folder of backups"
journalctl --unit patrol | grep -q 'created a new, empty store' || fail "the log does not name the new store"
for file in man/man1/patrol.1.gz man/man1/patrol-serve.1.gz bash-completion/completions/patrol \
    zsh/vendor-completions/_patrol fish/vendor_completions.d/patrol.fish doc/patrol/patrol.cdx.json; do
    [ -s "/usr/share/$file" ] || fail "$file is not installed"
done
grep -q CycloneDX /usr/share/doc/patrol/patrol.cdx.json || fail "the SBOM is not CycloneDX"

step "hardening"
exposure=$(systemd-analyze security patrol.service --no-pager | sed -n 's/.*Overall exposure level.*: \([0-9.]*\) .*/\1/p')
echo "exposure level $exposure"
awk -v level="$exposure" 'BEGIN { exit !(level != "" && level < 2.0) }' || fail "exposure level $exposure"

step "root is refused"
code=0
patrol --config /etc/patrol/patrol.toml token list 2>refused || code=$?
is "$code" 2 "the exit code for root"
grep -q 'belongs to the user' refused || fail "the message for root: $(cat refused)"

step "use"
patrol-service import - <company.ndjson
token=$(patrol-service token create --user anna@example.org --name test)
is "$(get /v1/tokens "$token")" 200 "a read"

step "the environment of the service"
echo 'PATROL_LISTEN="127.0.0.1:8099"' >/etc/patrol/environment
! patrol-service health 2>/dev/null || fail "patrol-service does not read /etc/patrol/environment"
rm /etc/patrol/environment

step "a backup by the timer, and a restore"
is "$(systemctl is-enabled patrol-backup.timer || true)" disabled "the timer at first"
systemctl enable --now patrol-backup.timer
runuser -u patrol -- sh -c 'mkdir -p /var/lib/patrol/photos && echo photo >/var/lib/patrol/photos/a-photo'
touch -d '20 days ago' /var/backups/patrol/patrol-old.db
systemctl start patrol-backup.service || { journalctl --unit patrol-backup --no-pager; fail "the backup failed"; }
copy=$(ls /var/backups/patrol/patrol-*.db)
is "$(owner "$copy")" "patrol:patrol 600" "the only copy"
is "$(cat /var/backups/patrol/photos/a-photo)" photo "the copy of a photo"
systemctl stop patrol
mkdir /var/lib/patrol/broken
mv /var/lib/patrol/patrol.db* /var/lib/patrol/broken/
install -o patrol -g patrol -m 0600 "$copy" /var/lib/patrol/patrol.db
systemctl start patrol
ready || fail "the service is not ready although it was started"
is "$(get /v1/tokens "$token")" 200 "a read after the restore"

step "a wrong setting is not tried again and again"
cp --preserve=all /etc/patrol/patrol.toml right.toml
echo 'listen_on = 1' >>/etc/patrol/patrol.toml
! systemctl restart patrol 2>/dev/null || fail "a wrong setting does not fail the start"
eventually systemctl is-failed patrol
is "$(systemctl show --property ExecMainStatus --value patrol)" 2 "the exit code"
cp --preserve=all right.toml /etc/patrol/patrol.toml
systemctl restart patrol
eventually ready

step "upgrade"
echo 'limit_name = 200 # changed by the administrator' >>/etc/patrol/patrol.toml
before=$(main_process)
DEBIAN_FRONTEND=noninteractive dpkg --install --force-confdef --force-confold new.deb
eventually ready
[ "$(main_process)" != "$before" ] || fail "the upgrade did not restart the service"
is "$(dpkg-query --show --showformat '${Version}' patrol)" "$(cat new.version)" "the version"
grep -q 'changed by the administrator' /etc/patrol/patrol.toml || fail "the upgrade replaced the configuration"
is "$(owner /etc/patrol/patrol.toml)" "root:patrol 640" "the configuration after the upgrade"
is "$(get /v1/tokens "$token")" 200 "a read after the upgrade"

step "remove"
install -d -o root -g patrol -m 0750 /etc/patrol/tls
dpkg --remove patrol
is "$(systemctl is-enabled patrol-backup.timer 2>/dev/null || true)" "" "the timer after removal"
is "$(systemctl is-active patrol || true)" inactive "the service after removal"
[ ! -e /usr/bin/patrol ] || fail "the program is still there"
[ -e /etc/patrol/patrol.toml ] && [ -e /var/lib/patrol/patrol.db ] || fail "removal took settings or data"

step "install again: the data is still there"
dpkg --install new.deb
eventually ready
is "$(get /v1/tokens "$token")" 200 "a read after the second installation"

step "purge"
dpkg --purge patrol
[ ! -e /etc/patrol ] || fail "settings are left"
[ -e /var/lib/patrol/patrol.db ] || fail "purging deleted the data"
echo "PASSED"

#!/usr/bin/env bash
# Unpacks the image of target/package and runs it as its user, with its settings, in a chroot: serve, health
# check, stop. No engine is needed. Needs root, because only root may chroot.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
    echo "package-test: $1" >&2
    exit 1
}

[ "$(id -u)" = 0 ] || fail "the test of the image needs root"
image=$(ls -t target/package/patrol_*_image.tar 2>/dev/null | head -n 1)
[ -n "$image" ] || fail "there is no image; run \`make package\`"
folder=$PWD/target/package-test/image
rm -rf "$folder"
mkdir -p "$folder/archive" "$folder/root"
tar -C "$folder/archive" -xf "$image"

# Prints a part of the image's configuration, one value a line.
configuration() {
    python3 - "$folder/archive" "$1" <<'PYTHON'
import json, sys
folder, part = sys.argv[1:]
manifest = json.load(open(f"{folder}/manifest.json"))[0]
config = json.load(open(f"{folder}/{manifest['Config']}"))["config"]
values = {
    "layers": manifest["Layers"],
    "user": [config["User"]],
    "environment": config["Env"],
    "command": config["Entrypoint"] + config["Cmd"],
    "health": config["Healthcheck"]["Test"],
}
print("\n".join(values[part]))
PYTHON
}

for layer in $(configuration layers); do
    tar -C "$folder/root" -xf "$folder/archive/$layer"
done
user=$(configuration user)
case $user in 0* | root* | '') fail "the image runs as root" ;; esac
[ -z "$(find "$folder/root" -perm /6000)" ] || fail "the image has a program that changes its user"
[ ! -e "$folder/root/bin/sh" ] || fail "the image has a shell"
mapfile -t environment < <(configuration environment)
mapfile -t command < <(configuration command)
mapfile -t health < <(configuration health)
[ "${health[0]}" = CMD ] || fail "the health check is not a command"

inside() { env --ignore-environment "${environment[@]}" PATROL_LISTEN=127.0.0.1:"$port" chroot --userspec="$user" "$folder/root" "$@"; }

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
inside "${health[@]:1}" 2>/dev/null && fail "the health check passes without a server"
# `exec`: the process that is stopped below is the program itself.
(exec env --ignore-environment "${environment[@]}" PATROL_LISTEN=127.0.0.1:"$port" \
    chroot --userspec="$user" "$folder/root" "${command[@]}") >"$folder/log" 2>&1 &
server=$!
trap 'kill -9 "$server" 2>/dev/null || true' EXIT
for _ in $(seq 120); do
    inside "${health[@]:1}" 2>"$folder/health" && break
    kill -0 "$server" 2>/dev/null || fail "the server ended: $(cat "$folder/log")"
    sleep 0.5
done
inside "${health[@]:1}" || fail "the health check fails; the log is $folder/log"
[ "$(stat --format %u "$folder/root/var/lib/patrol/patrol.db")" = "${user%%:*}" ] || fail "the store is not of the user $user"
kill -TERM "$server"
code=0
wait "$server" || code=$?
[ "$code" = 0 ] || fail "the server ended with $code after SIGTERM: $(cat "$folder/log")"
echo "the image runs as $user, is healthy and stops ($(du -h "$image" | cut -f 1))"

#!/usr/bin/env bash
# Runs the tests: `make test` and `make test-long`. Stops at the first step that fails, whose output is
# then the last; the last line says how many tests passed and failed.
#   tests/run.sh short    formatting, and whether the program is right: both stores, and the whole over SQLite
#   tests/run.sh long     lints, licences, and everything that takes long
#   tests/run.sh lint     lints alone
#   tests/run.sh clocks   the whole program over SQLite with the clock at midnight, on leap days, …
set -euo pipefail
cd "$(dirname "$0")/.."

cargo=${CARGO:-cargo}
# Most tests wait for servers, clocks and disks: with one thread a core, half of the processors are idle.
export RUST_TEST_THREADS=${RUST_TEST_THREADS:-$((3 * $(nproc)))}
# Without incremental files the first build is a fifth faster. Those of other commands stay beside.
export CARGO_INCREMENTAL=0
logs=target/test-logs
mkdir -p "$logs"
steps=0
times=()

# Says how many tests passed and failed in all steps.
counted() {
    cat "$logs/$suite".*.log | sed -nE 's/^test result: .* ([0-9]+) passed; ([0-9]+) failed;.*/\1 \2/p' |
        awk '{ passed += $1; failed += $2 } END { printf "%d passed, %d failed\n", passed, failed }'
}

# Runs a command as a step with this name: step NAME COMMAND…
step() {
    local name=$1 started=$SECONDS status=0
    shift
    echo "== $name"
    steps=$((steps + 1))
    "$@" 2>&1 | tee "$logs/$suite.$steps.log" || status=$?
    times+=("$(printf '%5d s  %s' $((SECONDS - started)) "$name")")
    [ "$status" -eq 0 ] || fail "$name"
}

fail() {
    [ ${#times[@]} -eq 0 ] || printf '%s\n' "${times[@]}"
    echo "== failed: $1 (the whole output is in $logs)"
    counted
    exit 1
}

# What takes longest is left to the long suite: these words are parts of the names of its tests.
slow=(two_nodes outages gives_up_after_thirty_seconds)
# Connections, TLS and headers do not depend on the store: they are tested over SQLite alone.
no_store=(connections:: tls:: cors:: trusted_proxies::)
# What packages are built with.
full=patrol/s3,patrol/traces,patrol-photos/s3,patrol-test-servers/s3,patrol-tests/packaged

# Always the whole workspace: a smaller choice of packages has other features, and compiles anew.
tests() {
    "$cargo" test --workspace --locked "$@"
}

short() {
    step "formatting" "$cargo" fmt --all --check
    step "building" tests --tests --no-run
    step "all tests, the whole program over SQLite" tests --tests -- "${slow[@]/#/--skip=}"
}

lint() {
    step "lints" "$cargo" clippy --workspace --all-targets --locked --features "$full,patrol-http/fuzzing" -- -D warnings
}

# Begins with what `make test` has compiled. Then tests the program as packages have it, which is built first.
long() {
    step "licences and unused dependencies" tests/audit.sh --local
    step "building" tests --tests --no-run
    step "two nodes on PostgreSQL, outages" tests --lib --test contract --test postgres -- "${slow[@]}"
    PATROL_TEST_POSTGRES_VERSION=18 step "the stores over PostgreSQL 18" tests --test contract -- one_node
    lint
    step "building with S3 and traces" "$cargo" build --workspace --locked --features "$full"
    step "S3 and traces, the book, the site in a browser, proxies, the API document" \
        tests --features "$full" --test program --test s3 --test packaged --test book --test browser --test proxies --test verification
    PATROL_TEST_STORE=postgres step "the whole program over PostgreSQL" tests --features "$full" --test api \
        -- "${no_store[@]/#/--skip=}"
}

# Tests must pass at any time of day and year: minutes around midnight, leap days, the last day of a
# year, the days on which clocks change, and time zones with half hours and behind UTC.
clocks() {
    local library start zone
    library=$(faketime_library)
    if [ -z "$library" ] && [ "$(id -u)" -eq 0 ]; then
        step "installing libfaketime" sh -c 'apt-get update -qq && apt-get install -y -qq faketime'
        library=$(faketime_library)
    fi
    [ -n "$library" ] || fail "libfaketime is missing (Debian: apt install faketime)"
    step "building" tests --tests --no-run
    # The tests take four minutes or more: what begins two minutes before a moment passes it.
    for start in "2026-12-02 00:05:00" "2026-12-02 11:59:00" "2026-12-02 23:58:00" "2028-02-28 23:58:00" \
        "2028-02-29 23:58:00" "2026-12-31 23:58:00" "2027-03-28 00:58:00" "2027-10-31 00:58:00"; do
        for zone in UTC Asia/Kolkata America/Los_Angeles; do
            [ "$zone" = UTC ] || [ "$start" = "2026-12-02 23:58:00" ] || continue
            step "the whole program at $start, TZ=$zone" at "$start" "$zone" "$library"
        done
    done
}

faketime_library() {
    find /usr/lib /usr/local/lib -name libfaketimeMT.so.1 2>/dev/null | head -n 1
}

at() {
    local ahead
    # All processes have the same clock: with a time in place of a distance, each would begin at that time.
    ahead=$(printf '%+ds' $(($(date -d "$1 UTC" +%s) - $(date +%s))))
    TZ=$2 FAKETIME=$ahead DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1 LD_PRELOAD=$3 tests --test api
}

suite=${1:-}
case $suite in
short | long | lint | clocks) rm -f "$logs/$suite".*.log ;;
*) echo "say short, long, lint or clocks" >&2 && exit 2 ;;
esac
"$suite"
printf '%s\n' "${times[@]}"
counted

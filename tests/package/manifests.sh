#!/usr/bin/env bash
# Checks the compose file and the Kubernetes manifests against the schemas of both.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools=target/tools/manifests
if [ ! -e "$tools/bin/kubernetes-validate" ]; then
    python3 -m venv --clear "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
        kubernetes-validate==1.37.0 compose-spec==0.2.1 ||
        { echo "package-test: cannot install kubernetes-validate and compose-spec from PyPI" >&2; exit 1; }
fi
"$tools/bin/python" tests/package/manifests.py

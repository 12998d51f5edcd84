"""Checks the compose file and the Kubernetes manifests of crates/server/package against the schemas of both."""

import sys

import kubernetes_validate
import yaml
from compose_spec import PyCompose

KUBERNETES = ["1.31", "1.34"]
FOLDER = "crates/server/package/"


def check(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"package-test: {what}")


with open(FOLDER + "kubernetes.yaml", encoding="utf-8") as file:
    manifests = list(yaml.safe_load_all(file))
for manifest in manifests:
    for version in KUBERNETES:
        kubernetes_validate.validate(manifest, version, strict=True)
kinds = {manifest["kind"]: manifest for manifest in manifests}
pods = kinds["Deployment"]["spec"]
check(pods["replicas"] == 3, "the Deployment does not have three nodes")
labels = pods["template"]["metadata"]["labels"].items()
for selector in (
    pods["selector"]["matchLabels"],
    kinds["Service"]["spec"]["selector"],
    kinds["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
):
    check(selector.items() <= labels, f"{selector} selects no pod")

# A wrong field has to be found; otherwise the checks above say nothing.
wrong = dict(kinds["Deployment"], spec=dict(pods, replica=3))
try:
    kubernetes_validate.validate(wrong, KUBERNETES[0], strict=True)
    sys.exit("package-test: the unknown field `replica` passed")
except kubernetes_validate.ValidationError:
    pass

with open(FOLDER + "compose.yaml", encoding="utf-8") as file:
    text = file.read()
services = PyCompose.from_yaml(text).service_names()
check(set(services) == {"patrol", "postgres", "s3", "bucket"}, f"the services are {services}")
try:
    PyCompose.from_yaml(text.replace("restart: unless-stopped", "restarts: never", 1))
    sys.exit("package-test: the unknown field `restarts` passed")
except Exception:  # the library has no type of its own for this
    pass

# The image is the same in both, with the version of the program.
with open("Cargo.toml", encoding="utf-8") as file:
    version = next(line.split('"')[1] for line in file if line.startswith("version = "))
image = f"patrol:{version}"
check(yaml.safe_load(text)["services"]["patrol"]["image"] == image, f"compose.yaml does not use {image}")
container = pods["template"]["spec"]["containers"][0]
check(container["image"] == image, f"kubernetes.yaml does not use {image}")
print(f"{len(manifests)} manifests and {len(services)} services are valid")

#!/usr/bin/env bash
# Builds what is shipped into target/package: `make package`.
#   build.sh deb     the program, its SBOM and the Debian package
#   build.sh image   the image, from the files of the Debian package
# PROFILE=release builds in less time; packages for others are built with the default, dist.
set -euo pipefail
cd "$(dirname "$0")/../../.."

profile=${PROFILE:-dist}
cargo=${CARGO:-cargo}
made=$PWD/target/package
tools=$PWD/target/tools

fail() {
    echo "package: $1" >&2
    exit 1
}

# Installs a program of cargo into target/tools unless this version is there: NAME VERSION
tool() {
    local installed=$tools/.$1-$2
    if [ ! -e "$installed" ]; then
        "$cargo" install --quiet --locked --root "$tools" --target-dir target/tools/build "$1@$2" ||
            fail "cannot install $1 $2 from crates.io"
        touch "$installed"
    fi
}

build_deb() {
    command -v dpkg-shlibdeps >/dev/null || fail "dpkg-shlibdeps is missing (Debian: apt install dpkg-dev)"
    tool cargo-cyclonedx 0.5.9
    tool cargo-deb 3.8.0
    "$cargo" build --profile "$profile" --locked -p patrol --features s3,traces
    rm -rf "$made/man" "$made/completions"
    "target/$profile/patrol" package-files "$made"
    # It writes one file into the folder of each crate; the program's has all its dependencies.
    "$tools/bin/cargo-cyclonedx" cyclonedx --manifest-path crates/server/Cargo.toml --features s3,traces --format json --spec-version 1.5 \
        --no-build-deps --override-filename patrol.cdx --quiet
    mv crates/server/patrol.cdx.json "$made/"
    find crates tests -name patrol.cdx.json -delete
    "$tools/bin/cargo-deb" deb -p patrol --profile "$profile" --no-build --locked --output "$made/" "$@"
}

build_image() {
    local builder root=$made/image/root deb
    deb=$(ls -t "$made"/patrol_*.deb 2>/dev/null | head -n 1)
    [ -n "$deb" ] || fail "there is no Debian package in target/package; run \`make package\`"
    [ -e /etc/ssl/certs/ca-certificates.crt ] || fail "the certificates are missing (Debian: apt install ca-certificates)"
    builder=$(image_builder) || fail "no program can build an image (Debian: apt install buildah)"
    rm -rf "$made/image"
    mkdir -p "$made/image/deb" "$made/image/data" "$root"/{tmp,etc/ssl/certs,usr/bin,usr/share/doc}
    chmod 1777 "$root/tmp"
    dpkg-deb --extract "$deb" "$made/image/deb"
    cp "$made/image/deb/usr/bin/patrol" "$root/usr/bin/"
    cp -r "$made/image/deb/usr/share/doc/patrol" "$root/usr/share/doc/"
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
    # The program runs with the C library that it was linked with, at the same paths.
    ldd "$root/usr/bin/patrol" | grep -o '/[^ ]*' | while read -r library; do
        install -D "$library" "$root$library"
    done
    for package in libc6 libgcc-s1; do
        install -D -m 0644 "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/copyright"
    done
    printf 'patrol:x:65532:65532::/var/lib/patrol:/nonexistent\n' >"$root/etc/passwd"
    printf 'patrol:x:65532:\n' >"$root/etc/group"
    cp crates/server/package/Containerfile "$made/image/"
    local version tag file
    version=$(dpkg-deb --field "$deb" Version)
    tag=patrol:${version%-*} file=$made/patrol_${version%-*}_image.tar
    rm -f "$file"
    # The format of Docker, because that of OCI has no health check; all engines load it.
    case $builder in
    buildah)
        buildah --storage-driver vfs bud --isolation chroot --format docker --quiet --tag "$tag" "$made/image" >/dev/null
        buildah --storage-driver vfs push --quiet "$tag" "docker-archive:$file:$tag"
        buildah --storage-driver vfs rmi "$tag" >/dev/null
        ;;
    podman)
        podman build --format docker --quiet --tag "$tag" "$made/image" >/dev/null
        podman save --format docker-archive --output "$file" "$tag"
        ;;
    docker)
        docker build --quiet --file "$made/image/Containerfile" --tag "$tag" "$made/image" >/dev/null
        docker save --output "$file" "$tag"
        ;;
    esac
    echo "$file"
}

# The first program that can build an image here.
image_builder() {
    if command -v buildah >/dev/null; then
        echo buildah
    elif command -v podman >/dev/null; then
        echo podman
    elif docker info >/dev/null 2>&1; then
        echo docker
    else
        return 1
    fi
}

case ${1:-} in
deb) build_deb "${@:2}" ;;
image) build_image ;;
*) fail "say deb or image" ;;
esac

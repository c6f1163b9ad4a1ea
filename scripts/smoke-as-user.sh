#!/usr/bin/env bash
# Run by root: copies the working tree to a folder of an unprivileged user and runs a command there as that user,
# by default the README's first one. Usage: scripts/smoke-as-user.sh [command…]
set -euo pipefail
cd "$(dirname "$0")/.."

readonly user=65534
if [ $# -eq 0 ]; then set -- npx skein demo --output-format json; fi
if [ "$(id -u)" -ne 0 ]; then
  echo "smoke-as-user: only root can become another user" >&2
  exit 1
fi

folder=$(mktemp -d /tmp/skein-smoke.XXXXXX)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/package" "$folder/home" "$folder/tmp"
tar --exclude=./.git --exclude=./build -cf - . | tar -C "$folder/package" -xf -
chown -R "$user:$user" "$folder"

as_user() {
  (cd "$folder/package" && exec setpriv --reuid="$user" --regid="$user" --clear-groups \
    env -i PATH="$PATH" HOME="$folder/home" TMPDIR="$folder/tmp" LANG=C.UTF-8 "$@")
}

if ! as_user node --version >/dev/null; then
  echo "smoke-as-user: an ordinary user cannot run $(command -v node)" >&2
  exit 1
fi
if as_user "$@" >"$folder/output" 2>&1; then
  echo "✓ as an ordinary user: $*"
else
  code=$?
  cat "$folder/output"
  echo "✗ as an ordinary user: $* (exit $code)"
  exit 1
fi

#!/usr/bin/env bash
# Brings the Dagger command line of the pins file, and holds it to its sha256 before anything of it is unpacked or run.
# Out: $RUNNER_TEMP/self-fix/bin/dagger. Refuses: a pins file with an unset or odd line, an archive of another hash.
set -euo pipefail
export LC_ALL=C
unset CDPATH BASH_ENV ENV
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

fail() {
  printf 'self-fix: %s\n' "$1" >&2
  exit 2
}

# pin NAME FORM: the one line NAME=… of the pins file.
pin() {
  local value
  value=$(grep -E "^$1=" "$here/pins") || fail "the pins file lacks $1"
  value=${value#*=}
  [[ $value =~ ^($2)$ ]] || fail "$1 in .github/self-fix/pins is not set, or not in its form: see docs/upgrade.md of self-fix"
  printf '%s' "$value"
}

[[ ${RUNNER_TEMP:-} == /* ]] || fail 'expected RUNNER_TEMP as an absolute path'
version=$(pin dagger_version 'v[0-9]+\.[0-9]+\.[0-9]+')
sha256=$(pin dagger_cli_sha256 '[0-9a-f]{64}')
pin dagger_engine_sha256 '[0-9a-f]{64}' >/dev/null
pin module '(github\.com/[A-Za-z0-9-]+/[A-Za-z0-9._-]+@[0-9a-f]{40}|workspace)' >/dev/null

mkdir -p -- "$RUNNER_TEMP/self-fix/bin"
archive=$RUNNER_TEMP/self-fix/dagger.tar.gz
curl --fail --silent --show-error --proto '=https' --proto-redir '=https' --tlsv1.2 --location --max-time 300 --max-filesize 268435456 \
  --output "$archive" "https://dl.dagger.io/dagger/releases/${version#v}/dagger_${version}_linux_amd64.tar.gz"
printf '%s  %s\n' "$sha256" "$archive" | sha256sum --check --strict --status || fail 'the Dagger command line is not the pinned one; nothing of it was unpacked'
tar --extract --gzip --no-same-owner --file "$archive" --directory "$RUNNER_TEMP/self-fix/bin" dagger
[[ -f $RUNNER_TEMP/self-fix/bin/dagger && ! -L $RUNNER_TEMP/self-fix/bin/dagger ]] || fail 'the archive holds no plain file called dagger'

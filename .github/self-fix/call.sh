#!/usr/bin/env bash
# Calls one function of the pinned module: call.sh OUT FUNCTION [ARGUMENT]…
#
# The result goes to OUT, never to the log. Secrets are arguments of the form env://NAME: their values are in no argument list.
# It stops, because Dagger fills arguments that were left out from a .env of the working folder or any folder above it, and a
# secret's default there may be a command that runs on this machine, if such a file exists; and because every secret of the session passes
# through the engine, if the environment names another engine than the pinned one.
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

(($# >= 2)) || fail 'usage: call.sh OUT FUNCTION [ARGUMENT]…'
[[ ${RUNNER_TEMP:-} == /* ]] || fail 'expected RUNNER_TEMP as an absolute path'
out=$1
shift
[[ $out == "$RUNNER_TEMP"/self-fix/* ]] || fail 'the result goes below $RUNNER_TEMP/self-fix only'
version=$(pin dagger_version 'v[0-9]+\.[0-9]+\.[0-9]+')
engine=image://registry.dagger.io/engine:$version@sha256:$(pin dagger_engine_sha256 '[0-9a-f]{64}')
module=$(pin module '(github\.com/[A-Za-z0-9-]+/[A-Za-z0-9._-]+@[0-9a-f]{40}|workspace)')
[[ $module != workspace ]] || module=$(cd -- "$here/../.." && pwd)

given=${_EXPERIMENTAL_DAGGER_RUNNER_HOST:-$engine}
[[ $given == "$engine" ]] || fail 'the environment names another Dagger engine than the pinned one'
while IFS= read -r name; do
  case $name in
  OTEL_* | DAGGER_* | _EXPERIMENTAL_* | TRACEPARENT | TRACESTATE | BAGGAGE) unset "$name" ;;
  esac
done < <(compgen -e)

# A folder of its own for each call: empty, below no artifact and above none. The command line's configuration is another empty one.
calls=$RUNNER_TEMP/self-fix-calls
mkdir -p -- "$calls" "$(dirname -- "$out")"
work=$(mktemp -d -- "$calls/work.XXXXXXXX")
settings=$(mktemp -d -- "$calls/settings.XXXXXXXX")
cd -- "$work"
[[ -z $(ls -A) ]] || fail 'the working folder is not empty'
above=$(pwd -P)
while :; do
  for name in .env dagger.json; do
    [[ ! -e ${above%/}/$name && ! -L ${above%/}/$name ]] || fail "there is a $name in or above the working folder"
  done
  [[ $above != / ]] || break
  above=$(dirname -- "$above")
done

export _EXPERIMENTAL_DAGGER_RUNNER_HOST=$engine XDG_CONFIG_HOME=$settings DO_NOT_TRACK=1 DAGGER_NO_NAG=1 DAGGER_NO_UPDATE_CHECK=1
exec "$RUNNER_TEMP/self-fix/bin/dagger" --progress plain call --mod "$module" --output "$out" "$@"

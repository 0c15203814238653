#!/usr/bin/env bash
# check.sh BIN: judges a good and a hostile patch of the corpus, as a person would, in a folder of its own.
set -euo pipefail
bin=$(realpath "${1:?usage: check.sh BIN}")
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
base=$(bash "$here/patches/mkbase.sh" "$work/base")

judge() { # judge WANTED-EXIT-CODE PATCH WORDS
  printf '\n== %s (%s)\n' "$3" "$2"
  local code=0
  "$bin" check --repo "$work/base" --base "$base" --policy "$here/policy/seed.yaml" --patch "$here/patches/$2" || code=$?
  if [ "$code" != "$1" ]; then
    echo "exit code $code, expected $1" >&2
    exit 1
  fi
}

judge 0 003-average-empty.patch "a repair: a guard against an empty list"
judge 1 152-joined-lines-process.patch "hostile: two added lines that git joins, so that no line of the patch names the environment"
judge 1 110-implicit-rename-over-security.patch "hostile: an edit of one file that overwrites another"
printf '\nDone: the repair was accepted, both attacks were refused.\n'

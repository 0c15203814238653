#!/usr/bin/env bash
# Holds a folder that an artifact was unpacked into to named regular files: take.sh DIR NAME MAXBYTES [NAME MAXBYTES]…
#
# What an exposed job left may hold a .env, a dagger.json, a link or a file without end. Nothing runs in DIR; DIR is above and below no
# folder in which anything runs.
set -euo pipefail
export LC_ALL=C
unset CDPATH BASH_ENV ENV

fail() {
  printf 'self-fix: artifact refused: %s\n' "$1" >&2
  exit 2
}

(($# >= 3 && $# % 2 == 1)) || fail 'usage: take.sh DIR NAME MAXBYTES…'
dir=$1
shift
[[ -d $dir && ! -L $dir ]] || fail 'it was not unpacked into a folder'
(($(find -P "$dir" -mindepth 1 -printf x | wc -c) == $# / 2)) || fail "expected exactly $(($# / 2)) files"
while (($#)); do
  [[ -f $dir/$1 && ! -L $dir/$1 ]] || fail "expected $1 as a regular file"
  (($(stat --format %h -- "$dir/$1") == 1)) || fail "$1 has a second name"
  (($(stat --format %s -- "$dir/$1") <= $2)) || fail "$1 is larger than $2 bytes"
  shift 2
done

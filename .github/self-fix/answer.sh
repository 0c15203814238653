#!/usr/bin/env bash
# Reads what a call answered: answer.sh KIND PATH. KIND is gate, check, recheck, push, review or self-test.
#
# In: the JSON of a verdict or receipt, or the folder of a repair or recheck. Out: step outputs (decision, pr) and, in the job's
# summary, the decision with the ids of the rules that made it. Nothing else of the answer is shown: a value passes only if it is of
# a form that cannot hold a line end or a command. Ends with 0 if a decision was made, whatever it is, else with 2.
set -euo pipefail
export LC_ALL=C
unset CDPATH BASH_ENV ENV

fail() {
  printf 'self-fix: %s\n' "$1" >&2
  exit 2
}

(($# == 2)) || fail 'usage: answer.sh KIND PATH'
kind=$1
path=$2
case $kind in
check | recheck) file=$path/outcome.json ;;
*) file=$path ;;
esac
[[ -f $file && ! -L $file ]] || fail 'the call left no answer'
(($(stat --format %s -- "$file") <= 1048576)) || fail 'the answer is larger than 1 MiB'

summary=${GITHUB_STEP_SUMMARY:-/dev/null}
if [[ $kind == self-test ]]; then
  { printf '### self-fix: self-test\n\n'; tr -cd '\n -~' <"$file" | sed 's/^/    /'; } >>"$summary"
  exit 0
fi

# one FILTER FORM: a single value of the answer, if it has the form.
one() {
  local value
  value=$(jq --raw-output --exit-status "$1" "$file") || return 1
  [[ $value =~ ^($2)$ ]] || return 1
  printf '%s' "$value"
}

case $kind in
gate | review) decision=$(one .decision 'act|nothing') || fail 'the gate could not decide' ;;
check | recheck)
  decision=$(one .decision 'continue|stop') || fail 'the step could not decide'
  [[ $decision == continue ]] && decision=accept || decision=refuse
  ;;
push)
  if decision=$(one '.pushed | tostring' 'true|false'); then
    [[ $decision == true ]] && decision=pushed || decision=refused
  else
    decision=$(one .decision 'nothing') || fail 'the push could not be decided; read the branch before anything else'
  fi
  ;;
*) fail 'unknown kind of answer' ;;
esac

pr=
if [[ $kind == gate && $decision == act ]]; then
  pr=$(one .target.pull_request '[1-9][0-9]{0,8}') || fail 'the verdict names no pull request'
fi
rules=$(jq --raw-output '.rule // empty' "$file")
report=$path/report.json
if [[ $kind == check && -f $report && ! -L $report ]]; then
  rules+=$'\n'$(jq --raw-output '.findings[]?.rule' "$report")
fi
{
  printf '### self-fix %s: %s\n\n' "$kind" "$decision"
  grep -Ex 'SF-[A-Z]{2,20}-[0-9]{3}' <<<"$rules" | sort -u | head -n 50 | sed 's/.*/- `&`/' || true
  printf '\n`self-fix explain RULE` says what a rule is for.\n'
} >>"$summary"

{
  printf 'decision=%s\n' "$decision"
  [[ -z $pr ]] || printf 'pr=%s\n' "$pr"
} >>"${GITHUB_OUTPUT:-/dev/null}"
printf 'self-fix %s: %s\n' "$kind" "$decision"

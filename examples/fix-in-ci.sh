#!/usr/bin/env bash
# Lets an agent fix a failing test in CI: with a budget, again where the failure is `retryable`, and with the files put back where it does not succeed.
# It checks itself against the offline model; in your CI leave out SKEIN_OFFLINE, and set ANTHROPIC_API_KEY.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
command -v jq >/dev/null || { echo "fix-in-ci.sh needs jq: https://jqlang.org" >&2; exit 1; }

if [ -f "$here/../dist/cli/main.js" ]; then skein() { node "$here/../dist/cli/main.js" "$@"; }; else skein() { npx skein "$@"; }; fi

# fix_test TASK TEST: runs the agent until TEST passes, three times at most. Gives 1, with the files as they were, where it never does.
fix_test() {
  local task=$1 test=$2 before="" answer problem
  for attempt in 1 2 3; do
    answer=$(skein run "$task (attempt $attempt)" --max-cost-usd 1 --timeout 300 --env CLAUDE_CODE_MAX_RETRIES --output-format json ${SKEIN_OFFLINE:+--offline "$SKEIN_OFFLINE"} 2>/dev/null) || true
    # The first turn began with the files as they were: to go back there leads past all attempts.
    before=${before:-$(jq -r '.data.before_state_id // .error.before_state_id // empty' <<<"$answer")}
    problem=$(jq -r '.error | if . == null then empty else "\(.kind): \(.message)" end' <<<"$answer")
    if [ -n "$problem" ]; then
      echo "attempt $attempt failed: $problem"
      [ "$(jq .error.retryable <<<"$answer")" = true ] || break
    elif bash -c "$test"; then
      echo "attempt $attempt fixed it"
      return 0
    else
      echo "attempt $attempt did not fix it"
    fi
  done
  [ -z "$before" ] || skein restore "$before" --output-format json >/dev/null
  echo "gave up; the files are as they were"
  return 1
}

# What follows plays a repository with a bug, and checks what became of it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work/home SKEIN_HOME=$work/skein CLAUDE_CODE_MAX_RETRIES=0 SKEIN_OFFLINE=$here/scenarios/fix-in-ci.json
mkdir "$work/home" "$work/project" && cd "$work/project"
echo 'echo $(($1 - $2))' >add.sh

expect() { [ "$1" = "$2" ] || { printf 'expected:\n%s\nfound:\n%s\n' "$2" "$1" >&2; exit 1; }; }
check='[ "$(bash add.sh 2 3)" = 5 ]'

told=$(fix_test "give it up" "$check") && exit 1
expect "$(sed 's/: The turn.*//; s/overloaded:.*/overloaded/' <<<"$told")" $'attempt 1 failed: overloaded\nattempt 2 did not fix it\nattempt 3 did not fix it\ngave up; the files are as they were'
expect "$(cat add.sh)" 'echo $(($1 - $2))'

told=$(fix_test "fix it" "$check")
expect "$(tail -n 1 <<<"$told")" "attempt 3 fixed it"
expect "$(cat add.sh)" 'echo $(($1 + $2))'

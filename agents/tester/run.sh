#!/bin/sh
# Runs the repository's own tests on a commit.
#
# stdin:  the work (see docs/reference/tool-contract.md): a CodeCommit
# env:    TEST_COMMAND, the command to run; empty: the first of npm test, make test and ./test.sh that the repository has
# stdout: a TestReport, or when the tests fail a Failure of type TestsFailed; both with command, exit code and output
# stderr: log lines; one sentence and exit code 1 when it could not run the tests
set -eu

fail() {
  echo "tester: $*" >&2
  exit 1
}

work=$(cat)
payload=$(printf '%s' "$work" | jq -enr 'input.target_artefact | select(.type == "CodeCommit").payload' 2>/dev/null) ||
  fail "there is no CodeCommit to test in the work on stdin"

folder=$(git rev-parse --show-toplevel 2>/dev/null) || fail "git finds no repository here"
cd "$folder"
case $payload in '' | *[!0-9a-f]*) fail "the payload of the CodeCommit is not a commit" ;; esac
commit=$(git rev-parse --quiet --verify "$payload^{commit}") || fail "the commit $payload is not in this repository"
# In Sett it is checked out already.
[ "$(git rev-parse HEAD)" = "$commit" ] || git checkout --quiet --detach "$commit" 2>/dev/null ||
  fail "the commit $commit cannot be checked out over the changes here"

has_npm_test() {
  jq -e '.scripts.test | strings | contains("no test specified") | not' package.json >/dev/null 2>&1
}

detect() {
  if has_npm_test && command -v npm >/dev/null; then echo "npm test"
  elif grep -qs '^test[[:space:]]*:' Makefile && command -v make >/dev/null; then echo "make test"
  elif [ -x test.sh ]; then echo "./test.sh"
  fi
}

command=${TEST_COMMAND:-$(detect)}
[ -n "$command" ] ||
  fail "no test command is known (TEST_COMMAND is empty, and there is no npm test, make test or ./test.sh that can run here)"
echo "Testing $commit: $command" >&2

log=$(git rev-parse --absolute-git-dir)/test-output
start=$(date +%s)
code=0
sh -c "$command" </dev/null >"$log" 2>&1 || code=$?
seconds=$(($(date +%s) - start))

# The end of a log is the important part. jq replaces bytes that are not text.
tail -c 65536 "$log" >"$log-end"
jq -n --arg commit "$commit" --arg command "$command" --argjson code "$code" --argjson seconds "$seconds" \
  --rawfile output "$log-end" '
  { artefact_payload: { commit: $commit, command: $command, exit_code: $code, seconds: $seconds, output: $output } }
  + if $code == 0 then { artefact_type: "TestReport", summary: "`\($command)` passed" }
    else { structural_type: "Failure", artefact_type: "TestsFailed",
      summary: "`\($command)` failed with exit code \($code)" } end'

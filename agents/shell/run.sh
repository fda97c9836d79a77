#!/bin/sh
# Runs one command in the repository.
#
# stdin:  the work (see docs/reference/tool-contract.md), which the command gets as its stdin, too
# env:    COMMAND, for a shell; COMMIT, a message: with it, and `workspace: { mode: rw }`, changed files become a commit
# stdout: a CodeCommit where there is a message and a change, else a Report with what the command has printed; a Failure of type CommandFailed where it fails, or leaves a conflict or a rebase unfinished
set -eu
[ -n "${COMMAND:-}" ] || { echo "shell: write \`environment: { COMMAND: … }\` in sett.yml" >&2; exit 1; }
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cat >"$home/work"
code=0
sh -c "$COMMAND" <"$home/work" >"$home/log" 2>&1 || code=$?
cat "$home/log" >&2

# The end of a log is the important part. jq replaces bytes that are not text.
tail -c 65536 "$home/log" >"$home/end"
report() {
  jq -n --arg command "$COMMAND" --argjson code "$code" --rawfile output "$home/end" "$1"
}
if [ "$code" != 0 ]; then
  report '{structural_type: "Failure", artefact_type: "CommandFailed", summary: "`\($command)` failed with exit code \($code)",
    artefact_payload: {command: $command, exit_code: $code, output: $output}}'
  exit
fi
if [ -n "${COMMIT:-}" ]; then
  # A command may hide that its merge has failed, and `add` would take the marks of a conflict for what it has decided.
  conflict=$(git diff --name-only --diff-filter=U)
  if [ -n "$conflict" ]; then
    printf '\nIn conflict:\n%s\n' "$conflict" >>"$home/end"
    report '{structural_type: "Failure", artefact_type: "CommandFailed", summary: "`\($command)` has left files in conflict",
      artefact_payload: {command: $command, exit_code: $code, output: $output}}'
    exit
  fi
  # The commits that these have yet to make would be lost.
  for begun in rebase-merge rebase-apply sequencer; do
    [ -e "$(git rev-parse --git-path "$begun")" ] || continue
    report '{structural_type: "Failure", artefact_type: "CommandFailed", summary: "`\($command)` has not ended a rebase, or a series of picked commits",
      artefact_payload: {command: $command, exit_code: $code, output: $output}}'
    exit
  done
  git add --all
  git diff --cached --quiet || {
    git commit --quiet --no-verify --message "$COMMIT"
    jq -n --arg commit "$(git rev-parse HEAD)" --arg summary "$(git log -1 --format=%s)" \
      '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: $summary}'
    exit
  }
fi
report '{artefact_type: "Report", artefact_payload: $output, summary: "`\($command)` succeeded"}'

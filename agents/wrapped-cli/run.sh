#!/bin/sh
# From the tool contract to a prompt for opencode, and from what it has changed to a commit.
set -eu
work=$(mktemp)
cat >"$work"
jq -r --arg prompt "${SETT_PROMPT_EXECUTION:-}" '[$prompt, "Work in the repository in the current folder. Do not commit.",
  ((.context_chain + [.target_artefact] + .additional_context)[] | "# \(.type), by \(.produced_by_role)\n\n\(.payload)")]
  | join("\n\n")' "$work" | OPENCODE_CONFIG="$(dirname "$0")/opencode.json" opencode run --title sett >&2
git add --all
git diff --cached --quiet && { echo "opencode has changed nothing." >&2; exit 1; }
git commit --quiet --message "$(jq -r '.target_artefact | .metadata.summary // .type' "$work" | head -n 1 | cut -c 1-72)"
jq -n --arg commit "$(git rev-parse HEAD)" --arg summary "$(git log -1 --format=%s)" \
  '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: $summary}'

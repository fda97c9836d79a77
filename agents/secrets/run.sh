#!/bin/sh
# Looks for keys and tokens in a commit's tree, and in every commit since the last tag: a secret that a later commit removes
# is still published.
#
# stdin:  the work (see docs/reference/tool-contract.md): a CodeCommit, and the goal that it was made for
# env:    SECRETS_EXCLUDE, paths to leave out, with spaces between them (invented keys for tests)
# stdout: a SecretsReport, or a Failure of type SecretsFound that names the places, and never the secrets
# stderr: log lines; on an error one sentence, and exit code 1
set -eu
export LC_ALL=C

fail() {
  echo "secrets: $*" >&2
  exit 1
}

work=$(cat)
of_work() { printf '%s' "$work" | jq -enr "input | $1" 2>/dev/null; }

payload=$(of_work '.target_artefact | select(.type == "CodeCommit").payload') ||
  fail "there is no CodeCommit to search in the work on stdin"
of_work '.context_chain[]? | select(.type == "GoalDefined") | true' >/dev/null ||
  fail "there is no goal (GoalDefined) in the context of the work on stdin"
since=$(of_work '[.context_chain[]? | select(.type == "GoalDefined")] | last | .metadata.last_tag_commit') || since=

folder=$(git rev-parse --show-toplevel 2>/dev/null) || fail "git finds no repository here"
cd "$folder"
case $payload in '' | *[!0-9a-f]*) fail "the payload of the CodeCommit is not a commit" ;; esac
commit=$(git rev-parse --quiet --verify "$payload^{commit}") || fail "the commit $payload is not in this repository"
[ -n "$since" ] || since=$(git describe --tags --abbrev=0 "$commit^" 2>/dev/null) || since=
[ -z "$since" ] || git cat-file -e "$since^{commit}" 2>/dev/null ||
  fail "the commit $since of the last tag is not in this repository"

scratch=$(git rev-parse --absolute-git-dir)
lines=$scratch/secret-lines
# Each kind has a pattern of its own that hardly any other text matches.
cat >"$scratch/secret-kinds" <<'END'
private key	-----BEGIN ([A-Z]+ )*PRIVATE KEY( BLOCK)?-----
AWS access key	(^|[^A-Za-z0-9])(AKIA|ASIA)[0-9A-Z]{16}($|[^A-Za-z0-9])
GitHub token	gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{40}
GitLab token	glpat-[A-Za-z0-9_-]{20}
Slack token	xox[abeoprs]-[0-9]{6,}-[A-Za-z0-9-]{10}
Google API key	AIza[0-9A-Za-z_-]{35}
Stripe key	[rs]k_live_[0-9A-Za-z]{16}
npm token	npm_[A-Za-z0-9]{36}
model provider key	sk-(ant|proj)-[A-Za-z0-9_-]{20}
END
any=$(cut -f 2 "$scratch/secret-kinds" | paste -s -d '|' -)

set -f
set -- .
for path in ${SECRETS_EXCLUDE:-}; do set -- "$@" ":(exclude)$path"; done
set +f

# Both as "commit TAB file TAB line TAB text". Status 1 of grep means that it found nothing, and is no error.
git grep -I --line-number --null --full-name --extended-regexp -e "$any" "$commit" -- "$@" >"$lines" ||
  [ $? -eq 1 ] || fail "git grep failed"
tr '\t\0' ' \t' <"$lines" | sed 's/:/	/' >"$lines-all"
rm -f "$lines-cut-short"
{
  git -c core.quotePath=false log --format=medium --no-decorate --no-color --no-ext-diff --no-textconv --no-renames --no-prefix \
    --full-history --sparse -p -m --unified=0 --output-indicator-new='>' ${since:+"^$since"} "$commit" -- "$@" ||
    : >"$lines-cut-short"
} |
  awk '
    { gsub(/\t/, " ") }
    /^commit / { commit = $2; file = "commit message"; line = 0 }
    /^\+\+\+ / { file = substr($0, 5); sub(/ $/, "", file) }
    /^@@ / { line = $3 - 1 }
    /^(>|    )/ { line++; print commit "\t" file "\t" line "\t" substr($0, file == "commit message" ? 5 : 2) }' |
  grep -E -e "$any" >>"$lines-all" || [ $? -eq 1 ] || fail "grep failed"
[ ! -e "$lines-cut-short" ] || fail "git could not read all commits"

# The newest place of each secret, without the secret itself.
while IFS='	' read -r kind pattern; do
  grep -E -e "$pattern" "$lines-all" | awk -F '\t' -v kind="$kind" '!seen[$2 FS $4]++ { print kind FS $1 FS $2 FS $3 }'
done <"$scratch/secret-kinds" >"$lines"

searched=$(git rev-list --count ${since:+"^$since"} "$commit")
echo "Searched $commit and $searched commits" >&2
jq -n --arg commit "$commit" --argjson searched "$searched" --rawfile lines "$lines" '
  ($lines | split("\n") | map(select(. != "") | split("\t")
    | { kind: .[0], commit: .[1], file: .[2], line: (.[3] | tonumber? // 0) })) as $found
  | { artefact_payload: { commit: $commit, commits_searched: $searched, found: $found } }
  + if $found == [] then { artefact_type: "SecretsReport", summary: "No secrets in the tree and in \($searched) commits" }
    else { structural_type: "Failure", artefact_type: "SecretsFound",
      summary: "Secrets found: \($found | length). \($found[0] | "\(.kind) in \(.file):\(.line), commit \(.commit[:8])")" } end'

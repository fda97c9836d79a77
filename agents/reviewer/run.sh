#!/bin/sh
# Reviews a commit that updates CHANGELOG.md and, for a release, raises the version.
#
# stdin:  the work (see docs/reference/tool-contract.md): a CodeCommit, and the goal that it was made for
# stdout: a Review: {} when it finds no problem, else {"problems": [sentence, …]}
# stderr: log lines; on an error one sentence, and exit code 1
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)

fail() {
  echo "reviewer: $*" >&2
  exit 1
}

work=$(cat)
of_work() { printf '%s' "$work" | jq -enr "input | $1" 2>/dev/null; }

payload=$(of_work '.target_artefact | select(.type == "CodeCommit").payload') ||
  fail "there is no CodeCommit to review in the work on stdin"
goal=$(of_work '[.context_chain[]? | select(.type == "GoalDefined")] | last | select(. != null) | tojson') ||
  fail "there is no goal (GoalDefined) in the context of the work on stdin"
of_goal() { printf '%s' "$goal" | jq -r "$1"; }
version=$(of_work '.target_artefact.metadata.version // ""') || version=
name=${version:-Unreleased}

git rev-parse --git-dir >/dev/null 2>&1 || fail "git finds no repository here"
case $payload in '' | *[!0-9a-f]*) fail "the payload of the CodeCommit is not a commit" ;; esac
commit=$(git rev-parse --quiet --verify "$payload^{commit}") || fail "the commit $payload is not in this repository"

# The commit at which the work began, from the goal; by hand the parent of the commit, if there is one.
base=$(of_goal '.metadata.commit // ""')
[ -n "$base" ] || base=$(git rev-parse --quiet --verify "$commit^") || base=
since=$(of_goal '.metadata.last_tag_commit // ""')
[ -n "$since" ] || since=$(git describe --tags --abbrev=0 "$commit^" 2>/dev/null) || since=
for start in "$base" "$since"; do
  [ -z "$start" ] || git cat-file -e "$start^{commit}" 2>/dev/null ||
    fail "the commit $start, which the goal names, is not in this repository"
done

scratch=$(git rev-parse --absolute-git-dir)
problems=$scratch/review-problems
: >"$problems"
content() { git show "$1:$2" 2>/dev/null; } # COMMIT FILE
. "$here/check-changelog.sh"
. "$here/check-version.sh"

check_changelog
if [ -n "$version" ]; then check_version; fi
# Every mistake that git itself reports, except in a README, where trailing spaces are line breaks.
git -c core.whitespace=cr-at-eol diff --check "${base:-$(git hash-object -t tree /dev/null)}" "$commit" \
  -- . ':(exclude)README*' | grep -v '^+' >>"$problems" || true

echo "Reviewed $commit for $name" >&2
jq -n --rawfile problems "$problems" --arg name "$name" '
  ($problems | split("\n") | map(select(. != ""))) as $found
  | { structural_type: "Review" } + if $found == [] then { payload: {}, summary: "The changes for \($name) are in order" }
    else { payload: { problems: $found }, summary: "Problems found: \($found | length). \($found[0])" } end'

#!/bin/sh
# Brings CHANGELOG.md up to date with the commits since the last tag, and commits it. For a release it also raises the version.
#
# stdin:  the work (see docs/reference/tool-contract.md): the goal's text names the release, its metadata the last tag; reviews of an earlier version, if any
# stdout: a CodeCommit whose payload is the new commit, or a ChangelogUnchanged when there is nothing to write, or a Question where the
#         goal leaves the version to a person
# stderr: log lines; on an error one sentence, and exit code 1
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)

fail() {
  echo "changelog: $*" >&2
  exit 1
}

answer() { # TYPE PAYLOAD SUMMARY
  jq -n --arg type "$1" --arg payload "$2" --arg summary "$3" --arg version "$version" '
    { artefact_type: $type, artefact_payload: $payload, summary: $summary }
    + if $version == "" then {} else { metadata: { version: $version } } end'
}

work=$(cat)

# The goal is the target, or the target was made from it.
goal=$(printf '%s' "$work" | jq -cen '
  input | [(.context_chain // [])[], .target_artefact] | map(select(.type == "GoalDefined")) | last | select(. != null)
') || fail "there is no goal (GoalDefined) in the work on stdin"
of_goal() { printf '%s' "$goal" | jq -r "$1"; }

# "Release 1.2.0", "version v1.2", or nothing but the number: then the entry is for that release.
version_in() {
  jq -r '
    "v?(?<number>\\d+(?:\\.\\d+)+(?:[-+][0-9a-z]+(?:[.-][0-9a-z]+)*)?)" as $number
    | .payload
    | capture("^\\s*" + $number + "\\s*$", "\\b(?:release|version)\\s+" + $number + "(?=\\.?(?:[\\s,;:!)]|$))"; "i").number
  ' | head -n 1
}
version=$(printf '%s' "$goal" | version_in) || version=

# "Release the next version": the agent asks a person which one.
is_next=$(of_goal '.payload | test("\\bnext (?:version|release)\\b"; "i")')
if [ -z "$version" ] && [ "$is_next" = true ]; then
  reply=$(printf '%s' "$work" | jq -cn '
    input | [(.context_chain // [])[], (.additional_context // [])[]] | map(select(.structural_type == "Answer")) | last // {payload: ""}')
  version=$(printf '%s' "$reply" | version_in) || version=
  if [ -z "$version" ]; then
    printf '%s' "$goal" | jq --argjson reply "$reply" '{
      structural_type: "Question",
      payload: (
        (if $reply.payload == "" then "" else "\($reply.payload | tojson) is no version such as 1.2.0. " end)
        + "Which version is to be released? "
        + (if (.metadata.last_tag // "") == "" then "There is no tag yet." else "The last tag is \(.metadata.last_tag)." end)),
      summary: "Which version is to be released?"
    }'
    exit 0
  fi
fi
name=${version:-Unreleased}
if [ -n "$version" ]; then heading="$version - $(date -u +%Y-%m-%d)"; else heading=Unreleased; fi

folder=$(git rev-parse --show-toplevel) || fail "git finds no repository here"
cd "$folder"
git rev-parse --quiet --verify HEAD >/dev/null || fail "there is no commit here"

# A working copy of Sett has all commits but no tags: `sett forage` writes the last tag into the goal. In other clones git knows the tags.
tag=$(of_goal '.metadata.last_tag // ""')
since=$(of_goal '.metadata.last_tag_commit // ""')
if [ -z "$since" ] && tag=$(git describe --tags --abbrev=0 2>/dev/null); then since=$tag; fi
if [ -n "$since" ]; then
  git cat-file -e "$since^{commit}" 2>/dev/null || fail "the commit $since of the last tag $tag is not in this repository"
  range="$since..HEAD"
  span="since ${tag:-$since}"
else
  range=HEAD
  span="so far"
fi

scratch=$(git rev-parse --absolute-git-dir)
: >"$scratch/changelog-files"
. "$here/release.sh"

# Without commits that change only the changelog, and without commits with a line `Changelog: skip` in their message.
git log --no-merges --full-history --invert-grep --grep='^Changelog: skip$' --format='%h%x09%s' "$range" \
  -- . ':(exclude)CHANGELOG.md' >"$scratch/changelog-all"
if ! [ -s "$scratch/changelog-all" ]; then
  answer ChangelogUnchanged "There are no commits $span that CHANGELOG.md could list." "Nothing to write: no commits $span"
  exit 0
fi
case $tag in
"$version" | "v$version") [ -z "$version" ] || fail "version $version is already released: the last tag is $tag" ;;
esac
without_unwanted "$scratch/changelog-all" >"$scratch/changelog-commits"
count=$(wc -l <"$scratch/changelog-commits" | tr -d ' ')
if [ "$count" -eq 1 ]; then commits="1 commit"; else commits="$count commits"; fi
echo "Writing $commits $span under \"$heading\"" >&2

{
  echo "## $heading"
  awk -f "$here/entry.awk" "$scratch/changelog-commits"
} >"$scratch/changelog-entry"
[ -s CHANGELOG.md ] || echo "# Changelog" >CHANGELOG.md
awk -v entry="$scratch/changelog-entry" -v name="$name" -f "$here/insert.awk" CHANGELOG.md >"$scratch/changelog-new"
cat "$scratch/changelog-new" >CHANGELOG.md
written CHANGELOG.md

raise_version
mend_stale_versions

complaint=$(complaints '.additional_context[]?' . | head -n 1)
if ! [ -s "$scratch/changelog-files" ]; then
  [ -z "$complaint" ] || fail "this agent can correct nothing that the reviews complain about: $complaint"
  answer ChangelogUnchanged "CHANGELOG.md lists the $commits $span already." "Nothing to write: CHANGELOG.md is up to date"
  exit 0
fi
if [ -n "$complaint" ]; then
  subject="Correct what the review of $name found"
  summary="Corrected what the review of $name found, in $(sort -u "$scratch/changelog-files" | paste -s -d , - | sed 's/,/, /g')"
else
  subject="Update the changelog for $name"
  summary="Listed $commits $span under \"$heading\""
fi
git --literal-pathspecs commit --quiet --message "$subject" --message "Changelog: skip" \
  --pathspec-from-file="$scratch/changelog-files" >&2
answer CodeCommit "$(git rev-parse HEAD)" "$summary"

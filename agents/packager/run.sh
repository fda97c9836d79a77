#!/bin/sh
# Packs a released commit, writes the tag for it, and ends the goal.
#
# stdin:  the work (see docs/reference/tool-contract.md): a CodeCommit of a release, the reports on it, and the goal that it was made for
# stdout: a Release, which is Terminal: version, commit, the annotated tag, the archive's checksum and how to make both again
# stderr: log lines; on an error one sentence, and exit code 1
set -eu
export LC_ALL=C

fail() {
  echo "packager: $*" >&2
  exit 1
}

work=$(cat)
of_work() { printf '%s' "$work" | jq -enr "input | $1" 2>/dev/null; }

payload=$(of_work '.target_artefact | select(.type == "CodeCommit").payload') ||
  fail "there is no CodeCommit to pack in the work on stdin"
of_work '.context_chain[]? | select(.type == "GoalDefined") | true' >/dev/null ||
  fail "there is no goal (GoalDefined) in the context of the work on stdin"
version=$(of_work '.target_artefact.metadata.version') ||
  fail "the commit is not for a release: post a goal such as \"Release 1.2.0\""
case $version in *[!0-9A-Za-z.+-]*) fail "$version is not a version" ;; esac

scratch=$(git rev-parse --absolute-git-dir 2>/dev/null) || fail "git finds no repository here"
case $payload in '' | *[!0-9a-f]*) fail "the payload of the CodeCommit is not a commit" ;; esac
commit=$(git rev-parse --quiet --verify "$payload^{commit}") || fail "the commit $payload is not in this repository"

project=$(git show "$commit:package.json" 2>/dev/null |
  jq -er '.name | strings | sub(".*/"; "") | gsub("[^A-Za-z0-9._-]"; "-")' 2>/dev/null) || project=source
stem=$project-$version

# Only commits leave a working copy, no files and no tags. So the archive and the tag do not depend on the machine and the time (they
# have the times of the commit): with the recipe both can be made again on any machine.
echo "Packing $commit as $stem.tar.gz" >&2
git archive --format=tar --prefix="$stem/" --output="$scratch/release.tar" "$commit"
gzip -9 -n -f "$scratch/release.tar"
sum=$(sha256sum "$scratch/release.tar.gz" | cut -d ' ' -f 1)
bytes=$(wc -c <"$scratch/release.tar.gz" | tr -d ' ')
recipe="git archive --format=tar --prefix=$stem/ $commit | gzip -9 -n"

tagger=$(GIT_COMMITTER_DATE="$(git show --no-patch --format=%ct "$commit") +0000" git var GIT_COMMITTER_IDENT)
printf 'object %s\ntype commit\ntag v%s\ntagger %s\n\nRelease %s\n' "$commit" "$version" "$tagger" "$version" \
  >"$scratch/release-tag"
tag=$(git mktag <"$scratch/release-tag")
known=$(git rev-parse --quiet --verify "refs/tags/v$version") || known=$tag
[ "$known" = "$tag" ] || fail "the tag v$version already exists and is a different tag"
git update-ref "refs/tags/v$version" "$tag"

printf '%s' "$work" | jq -n --arg version "$version" --arg commit "$commit" \
  --arg tag "$tag" --rawfile text "$scratch/release-tag" \
  --arg file "$stem.tar.gz" --arg sum "$sum" --argjson bytes "$bytes" --arg recipe "$recipe" '
  input as $work | {
    structural_type: "Terminal",
    artefact_type: "Release",
    artefact_payload: {
      version: $version,
      commit: $commit,
      tag: { name: "v\($version)", id: $tag, text: $text },
      archive: { file: $file, bytes: $bytes, sha256: $sum, recipe: $recipe },
      reports: [$work.additional_context[]? | { type, id, summary: (.metadata.summary // "") }]
    },
    summary: "Released \($version): \($file), sha256 \($sum[:12])…"
  }'

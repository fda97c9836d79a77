# For run.sh: does CHANGELOG.md begin with an entry that lists all commits since the last release, and no others?

check_changelog() {
  if ! content "$commit" CHANGELOG.md | tr -d '\r' >"$scratch/review-changelog" || ! [ -s "$scratch/review-changelog" ]; then
    echo "CHANGELOG.md: is missing or empty." >>"$problems"
    return
  fi
  # The commits that need an entry: without `Changelog: skip` in their message, and with changes beside the changelog.
  git log --no-merges --full-history --invert-grep --grep='^Changelog: skip$' --format='%H%x09%h%x09%s' \
    ${since:+"^$since"} "${base:-$commit}" -- . ':(exclude)CHANGELOG.md' >"$scratch/review-commits"
  awk -F '\t' -v name="$name" -v commits="$scratch/review-commits" -f "$here/entry.awk" "$scratch/review-changelog" >>"$problems"
}

# For run.sh: does CHANGELOG.md begin with an entry that lists what was done, all of it and nothing else?

check_changelog() {
  if ! content "$commit" CHANGELOG.md | tr -d '\r' >"$scratch/review-changelog" || ! [ -s "$scratch/review-changelog" ]; then
    echo "CHANGELOG.md: is missing or empty." >>"$problems"
    return
  fi
  # Work that is worth an entry. `Changelog: skip` in its message keeps a commit out; commits on the changelog alone are none.
  git log --no-merges --full-history --invert-grep --grep='^Changelog: skip$' --format='%H%x09%h%x09%s' \
    ${since:+"^$since"} "${base:-$commit}" -- . ':(exclude)CHANGELOG.md' >"$scratch/review-commits"
  awk -F '\t' -v name="$name" -v commits="$scratch/review-commits" -f "$here/entry.awk" "$scratch/review-changelog" >>"$problems"
}

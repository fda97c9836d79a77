# For run.sh: raises the version for a release, and corrects what reviewers of an earlier version complained about.
#
# A complaint is one sentence. A complaint that this agent can act on begins like a compiler's message, with the file and the line:
#   README.md:3: still says version 1.1.0, not 1.2.0.
#   CHANGELOG.md:12: lists 1a2b3c4, which …

complaints() { # JQ FILTER FOR THE ARTEFACTS, JQ FILTER FOR EACH SENTENCE
  printf '%s' "$work" | jq -nr "
    input | $1 | select(.structural_type == \"Review\") | .payload
    | (fromjson? // .) | select(. != {} and . != []) | (.problems? // .)
    | if type == \"array\" then .[] else . end | tostring | $2"
}

# Complaints about earlier versions count as well: a commit that was taken out must not come back.
without_unwanted() { # FILE WITH "HASH TAB SUBJECT"
  complaints '(.context_chain[]?, .additional_context[]?)' \
    'capture("^CHANGELOG\\.md:[0-9]+: lists (?<hash>[0-9a-f]{7,}),").hash' >"$scratch/changelog-unwanted"
  awk -F '\t' -v unwanted="$scratch/changelog-unwanted" '
    BEGIN { while ((getline hash < unwanted) > 0) hashes[hash] }
    { for (hash in hashes) if (index(hash, $1) == 1 || index($1, hash) == 1) next; print }' "$1"
}

# Raises the version where it is defined. Finding the other places that repeat it is the reviewers' part.
raise_version() {
  [ -n "$version" ] || return 0
  if [ -f package.json ]; then jq empty package.json 2>/dev/null || fail "package.json is not valid JSON"; fi
  if old=$(jq -er '.version | strings' package.json 2>/dev/null); then
    [ "$old" = "$version" ] || raise_in_package_json
    written package.json
  elif [ -f VERSION ]; then
    old=$(sed -n '1s/^[[:space:]]*v*\([0-9A-Za-z.+-]*\).*/\1/p' VERSION)
    [ -n "$old" ] || fail "the file VERSION does not begin with a version"
    rewrite VERSION 1
  fi
}

# Tries line by line until only the project's own version differs: the formatting stays, and so do the versions of dependencies.
raise_in_package_json() {
  for line in $(grep -n '"version"' package.json | cut -d : -f 1); do
    mended package.json "$line" >"$scratch/changelog-new"
    jq -e --arg version "$version" --slurpfile old package.json '. == ($old[0] | .version = $version)' \
      "$scratch/changelog-new" >/dev/null || continue
    cat "$scratch/changelog-new" >package.json
    return
  done
  fail "the version in package.json is not on a line of its own"
}

mend_stale_versions() {
  complaints '.additional_context[]?' '
    capture("^(?<file>[^\\t\\n]+?):(?<line>[0-9]+): still says version (?<old>[0-9A-Za-z.+-]+), not ")
    | "\(.line)\t\(.old)\t\(.file)"' >"$scratch/changelog-stale"
  while IFS='	' read -r line old file; do
    if [ -n "$version" ] && [ -f "$file" ] && ! [ -L "$file" ] &&
      git --literal-pathspecs ls-files --error-unmatch -- "$file" >/dev/null 2>&1; then
      rewrite "$file" "$line"
    fi
  done <"$scratch/changelog-stale"
}

rewrite() { # FILE LINE
  mended "$1" "$2" >"$scratch/changelog-new"
  cat "$scratch/changelog-new" >"$1"
  written "$1"
}

mended() { # FILE LINE
  awk -v line="$2" -v old="$old" -v new="$version" -f "$here/mend.awk" "$1"
}

# Notes a file for the commit: exactly these files are committed in the end.
written() { # FILE
  git --literal-pathspecs add --force -- "$1"
  git --literal-pathspecs diff --cached --quiet -- "$1" || printf '%s\n' "$1" >>"$scratch/changelog-files"
}

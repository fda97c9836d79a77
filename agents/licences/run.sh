#!/bin/sh
# Reports the licence of a commit's tree and the licences of its dependencies, from what is committed.
#
# stdin:  the work (see docs/reference/tool-contract.md): a CodeCommit
# stdout: a LicenceReport, or without a licence file a Failure of type LicenceMissing
# stderr: log lines; on an error one sentence, and exit code 1
set -eu
export LC_ALL=C

fail() {
  echo "licences: $*" >&2
  exit 1
}

work=$(cat)
payload=$(printf '%s' "$work" | jq -enr 'input.target_artefact | select(.type == "CodeCommit").payload' 2>/dev/null) ||
  fail "there is no CodeCommit to look at in the work on stdin"

scratch=$(git rev-parse --absolute-git-dir 2>/dev/null) || fail "git finds no repository here"
case $payload in '' | *[!0-9a-f]*) fail "the payload of the CodeCommit is not a commit" ;; esac
commit=$(git rev-parse --quiet --verify "$payload^{commit}") || fail "the commit $payload is not in this repository"
content() { git show "$commit:$1" 2>/dev/null; } # FILE

# Recognises a licence by words that only this licence has, also across line breaks.
recognise() {
  case $(tr -s '[:space:]' ' ' | tr '[:lower:]' '[:upper:]') in
  *"APACHE LICENSE VERSION 2.0"*) echo Apache-2.0 ;;
  *"GNU AFFERO GENERAL PUBLIC LICENSE VERSION 3"*) echo AGPL-3.0 ;;
  *"GNU LESSER GENERAL PUBLIC LICENSE VERSION 3"*) echo LGPL-3.0 ;;
  *"GNU LESSER GENERAL PUBLIC LICENSE VERSION 2.1"*) echo LGPL-2.1 ;;
  *"GNU GENERAL PUBLIC LICENSE VERSION 3"*) echo GPL-3.0 ;;
  *"GNU GENERAL PUBLIC LICENSE VERSION 2"*) echo GPL-2.0 ;;
  *"MOZILLA PUBLIC LICENSE VERSION 2.0"*) echo MPL-2.0 ;;
  *"PERMISSION IS HEREBY GRANTED, FREE OF CHARGE"*"THE ABOVE COPYRIGHT NOTICE"*) echo MIT ;;
  *"PERMISSION TO USE, COPY, MODIFY, AND/OR DISTRIBUTE"*) echo ISC ;;
  *"REDISTRIBUTION AND USE IN SOURCE"*"NEITHER THE NAME"*) echo BSD-3-Clause ;;
  *"REDISTRIBUTION AND USE IN SOURCE"*) echo BSD-2-Clause ;;
  *"RELEASED INTO THE PUBLIC DOMAIN"*) echo Unlicense ;;
  *) echo unknown ;;
  esac
}

# package.json of a package → "name TAB version TAB licence"; older ones have an object or a list.
of_package='def text: if type == "array" then map(text) | join(" OR ") elif type == "object" then .type // .name else . end;
  [.name // "?", .version // "?", (.license // .licenses | text) // "unknown"] | map(tostring) | @tsv'

# The packages in npm's lock file, and the packages that are themselves committed.
dependencies() {
  for lock in package-lock.json npm-shrinkwrap.json; do
    content "$lock" | jq -r '
      .packages // {} | to_entries[] | select(.key | contains("node_modules/"))
      | (.value.name // (.key | sub(".*node_modules/"; ""))) as $name 
      | .value | .name = $name | '"$of_package" 2>/dev/null || true
  done
  git ls-tree -r --name-only --full-tree "$commit" | grep -E '(^|/)(node_modules|vendor)/(@[^/]+/)?[^/]+/package\.json$' |
    while read -r file; do content "$file" | jq -r "$of_package" 2>/dev/null || true; done
  git ls-tree -r --name-only --full-tree "$commit" | grep -iE '^vendor/.*/(licen[cs]e|copying)[^/]*$' |
    while read -r file; do printf '%s\t-\t%s\n' "$(dirname "${file#vendor/}")" "$(content "$file" | recognise)"; done
}

file=$(git ls-tree --name-only --full-tree "$commit" | grep -iE '^(licen[cs]e|copying|unlicense)([.-].*)?$' | head -n 1) || true
echo "Looking at the licences of $commit" >&2
dependencies | sort -u >"$scratch/licences"
declared=$(content package.json | jq -er '.license | strings' 2>/dev/null) || declared=
if [ -n "$file" ]; then recognised=$(content "$file" | recognise); else recognised=; fi

jq -n --arg commit "$commit" --arg file "$file" --arg licence "$recognised" --arg declared "$declared" \
  --rawfile lines "$scratch/licences" '
  ($lines | split("\n") | map(select(. != "") | split("\t") | { name: .[0], version: .[1], licence: .[2] })) as $dependencies
  | ($dependencies | map(select(.licence == "unknown"))) as $unknown
  | { artefact_payload: { commit: $commit, file: $file, licence: $licence, declared: $declared, dependencies: $dependencies } }
  + if $file == "" then
      { structural_type: "Failure", artefact_type: "LicenceMissing",
        summary: "There is no LICENSE file: users of a release would not know what they may do with it" }
    else
      { artefact_type: "LicenceReport",
        summary: "\($file): \($licence); dependencies: \($dependencies | length), of unknown licence: \($unknown | length)" }
    end'

# For run.sh: is the version raised where it is defined, and is it the same wherever it is repeated?

check_version() {
  # The goal may leave the version to a person: then it is in the answer.
  case $(of_goal .payload)$(of_work '[.context_chain[]? | select(.structural_type == "Answer") | .payload] | join(" ")') in
  *"$version"*) ;;
  *) echo "The goal does not ask for version $version." >>"$problems" ;;
  esac
  for file in package.json package-lock.json npm-shrinkwrap.json; do
    content "$commit" "$file" | awk -v file="$file" -v version="$version" -f "$here/json-version.awk" >>"$problems"
  done
  content "$commit" VERSION | awk -v version="$version" '
    NR == 1 { sub(/^[ \t]*v?/, ""); sub(/[ \t\r]+$/, "") }
    NR == 1 && $0 != version { print "VERSION:1: still says version " $0 ", not " version "." }' >>"$problems"
  check_readme
}

# A README may name the previous version only as history ("since version 1.1.0").
check_readme() {
  old=$(content "$base" package.json | jq -er '.version | strings' 2>/dev/null) ||
    old=$(content "$base" VERSION | sed -n '1s/^[[:space:]]*v*//p')
  if [ -z "$old" ] || [ "$old" = "$version" ]; then return; fi
  project=$(content "$commit" package.json | jq -er '.name | strings | sub(".*/"; "")' 2>/dev/null) || project=version
  git ls-tree --name-only --full-tree "$commit" | grep -i '^readme[.a-z]*$' | while read -r file; do
    content "$commit" "$file" |
      awk -v file="$file" -v old="$old" -v version="$version" -v project="$project" -f "$here/readme.awk" >>"$problems"
  done
}

# package.json or package-lock.json → a sentence for each place that gives another version to the project itself. The versions
# of dependencies are deeper inside, or not under the name "".
#
# -v file=NAME -v version=VERSION

# The first key shows how far the outermost ones are indented.
!indent && match($0, /^[ \t]+"/) { indent = substr($0, 1, RLENGTH - 1) }
indent && index($0, indent "\"version\"") == 1 { judge() }

/^[ \t]*"": *\{/ { is_own = 1; next }
is_own && /^[ \t]*"version"/ { judge() }
/[{}]|"version"/ { is_own = 0 }

function judge(    given) {
  given = $0
  sub(/^[ \t]*"version": *"/, "", given)
  sub(/".*/, "", given)
  if (given != version) print file ":" NR ": still says version " given ", not " version "."
}

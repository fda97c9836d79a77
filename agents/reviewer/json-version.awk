# package.json or package-lock.json → a sentence for each place with another version of the project itself. The versions
# of dependencies are deeper inside, or not under the name "".
#
# -v file=NAME -v version=VERSION

# The first key shows how far the outermost ones are indented.
!indent && match($0, /^[ \t]+"/) { indent = substr($0, 1, RLENGTH - 1) }
indent && index($0, indent "\"version\"") == 1 { judge() }

/^[ \t]*"": *\{/ { is_own = 1; next }
is_own && /^[ \t]*"version"/ { judge() }
/[{}]|"version"/ { is_own = 0 }

function judge(    value) {
  value = $0
  sub(/^[ \t]*"version": *"/, "", value)
  sub(/".*/, "", value)
  if (value != version) print file ":" NR ": still says version " value ", not " version "."
}

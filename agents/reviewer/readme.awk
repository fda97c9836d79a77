# A README → a sentence for each line that names the previous version as the current one: after the project's name or the word
# "version" (`door-1.1.0.tar.gz`, `door@1.1.0`, a badge), and not where it is history ("since version 1.1.0").
#
# -v file=NAME -v old=VERSION -v version=VERSION -v project=NAME

{
  rest = tolower($0)
  before = ""
  while (at = index(rest, old)) {
    before = before substr(rest, 1, at - 1)
    rest = substr(rest, at + length(old))
    if (is_current(before, rest)) {
      print file ":" NR ": still says version " old ", not " version "."
      next
    }
    before = before old
  }
}

function is_current(before, after,    word) {
  if (before ~ /[0-9]\.?$/ || after ~ /^\.?[0-9]/) return 0
  sub(/[^a-z0-9]*v?$/, "", before)
  word = tolower(project)
  if (before !~ /(^|[^a-z])version$/ && substr(before, length(before) - length(word) + 1) != word) return 0
  return before !~ /(since|from|in|before|until|after|with|to) [a-z0-9]+$/
}

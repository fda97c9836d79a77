# CHANGELOG.md → the problems of its first entry, one sentence a line.
#
# -v name=NAME      the name that the entry must have: a version, or Unreleased
# -v commits=FILE   the commits that it must list: lines of "full hash TAB short hash TAB subject"

BEGIN {
  while ((getline line < commits) > 0) {
    split(line, part, "\t")
    count++
    full[count] = part[1]
    short[count] = part[2]
    subject[count] = substr(line, length(part[1] part[2]) + 3)
  }
}

/^## / {
  if (heading) exit
  heading = NR
  # `## 1.2.0`, `## [1.2.0] - 2026-01-31` and `## v1.2.0 (31 January)` are all for 1.2.0.
  split($0, words, " ")
  title = words[2]
  gsub(/[][():,]/, "", title)
  if (tolower(title) != tolower(name) && tolower(title) != "v" tolower(name)) {
    problem(NR, "the first entry is for " title ", not for " name ".")
    is_other = 1
    exit
  }
}

heading && match($0, /\([0-9a-f]+\)$/) {
  hash = substr($0, RSTART + 1, RLENGTH - 2)
  found = 0
  for (i = 1; i <= count; i++) if (index(full[i], hash) == 1) found = i
  listed[found] = 1
  if (!found) problem(NR, "lists " hash ", which is no commit since the last release.")
  else if (is_unfinished(subject[found]))
    problem(NR, "lists " hash ", an unfinished commit that tells readers nothing: " subject[found])
}

END {
  if (!heading) print "CHANGELOG.md: has no entry for " name "."
  if (!heading || is_other) exit
  for (i = 1; i <= count; i++) {
    if (!listed[i] && !is_unfinished(subject[i])) problem(heading, "does not list " short[i] ": " subject[i])
  }
}

# A commit that was to be squashed, is half done, or only merges branches.
function is_unfinished(text) {
  text = tolower(text) " "
  return text ~ /^(fixup|squash|amend)! / || text ~ /^\[?(wip|tmp|temp)[]:! ]/ || \
    text ~ /^merge (branch|tag|pull request|remote-tracking) /
}

function problem(line, sentence) { print "CHANGELOG.md:" line ": " sentence }

# A CHANGELOG.md → the same with a new entry above all others. The new entry replaces an `Unreleased` section and an older entry of
# the same name; the links at the end of the file stay.
#
# -v entry=FILE   the new entry, heading first
# -v name=NAME    its name: a version, or Unreleased

BEGIN {
  while ((getline line < entry) > 0) lines[++count] = line
}

# The line endings of the file are kept.
NR == 1 && /\r$/ { ending = "\r" }
{ sub(/\r$/, "") }

/^## / {
  is_replaced = is_named($0, "unreleased") || is_named($0, tolower(name))
  insert_once()
}
!is_replaced || /^\[[^]]+\]: / { print_line($0) }

END { insert_once() }

function insert_once(    i) {
  if (is_inserted++) return
  if (NR > 0) needs_blank = !is_after_blank
  for (i = 1; i <= count; i++) print_line(lines[i])
  needs_blank = 1
}

# `## 1.2.0`, `## [1.2.0] - 2026-01-31` and `## v1.2.0 (31 January)` are all named 1.2.0.
function is_named(heading, wanted,    words) {
  split(tolower(heading), words, " ")
  gsub(/[][():,]/, "", words[2])
  sub(/^v/, "", words[2])
  return words[2] == wanted
}

function print_line(line) {
  if (needs_blank && line != "") printf "%s\n", ending
  needs_blank = 0
  printf "%s%s\n", line, ending
  is_after_blank = line == ""
}

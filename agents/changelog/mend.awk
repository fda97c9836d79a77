# A file → the same with a version on one line replaced, wherever it is a whole word: 1.1.0 is no part of 11.1.0.
#
# -v line=NUMBER -v old=VERSION -v new=VERSION

NR == line { $0 = replaced($0) }
{ print }

function replaced(rest,    done, at, after) {
  while (at = index(rest, old)) {
    done = done substr(rest, 1, at - 1)
    after = substr(rest, at + length(old))
    done = done (done ~ /[0-9]\.?$/ || after ~ /^\.?[0-9]/ ? old : new)
    rest = after
  }
  return done rest
}

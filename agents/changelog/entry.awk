# Commit lines, "hash TAB subject" → the groups and bullets of one changelog entry, with the group names of keepachangelog.com.
# The group comes from the conventional prefix (`feat:`, `fix(api):`) or from the subject's first word.

BEGIN {
  FS = "\t"
  count = split("Added Changed Deprecated Removed Fixed Security", order, " ")
}

{
  hash = $1
  subject = substr($0, length(hash) + 2)
  group = group_of(tolower(subject))
  bullets[group] = bullets[group] "- " subject " (" hash ")\n"
}

END {
  for (i = 1; i <= count; i++) {
    if (order[i] in bullets) printf "\n### %s\n\n%s", order[i], bullets[order[i]]
  }
}

function group_of(text) {
  if (text ~ /^(feat|feature)(\([^)]*\))?!?:/ || text ~ /^(add|adds|added|introduce|introduces|introduced) /) return "Added"
  if (text ~ /^(fix|bugfix|hotfix)(\([^)]*\))?!?:/ || text ~ /^(fix|fixes|fixed|correct|corrects|corrected|repair|repairs|repaired) /) return "Fixed"
  if (text ~ /^(remove|removes|removed|delete|deletes|deleted|drop|drops|dropped) /) return "Removed"
  if (text ~ /^(deprecate|deprecates|deprecated) /) return "Deprecated"
  if (text ~ /^(security|sec)(\([^)]*\))?!?:/) return "Security"
  return "Changed"
}

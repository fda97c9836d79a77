#!/bin/sh
# A hook of Claude Code, `remarks.sh PostToolUse` or `remarks.sh Stop`: it hands on what people have said since it last ran.
# After a tool Claude Code gets it as context, and at the end as the reason to go on.
count=$(wc -l <"$SETT_REMARKS") || exit 0
before=$(cat "$SETT_REMARKS.read" 2>/dev/null || echo 0)
[ "$count" -gt "$before" ] || exit 0
echo "$count" >"$SETT_REMARKS.read"
sed -n "$((before + 1)),${count}p" "$SETT_REMARKS" | jq -s --arg event "$1" '
  (["People say to you now, to be heeded; the newest counts:"] + map(.payload) | join("\n\n")) as $said
  | if $event == "Stop" then {decision: "block", reason: $said}
    else {hookSpecificOutput: {hookEventName: $event, additionalContext: $said}} end'

#!/bin/sh
# The smallest useful agent: it reads one piece of work and answers with an artefact.
#
# stdin:  one JSON object: claim_type, claim_id, target_artefact, context_chain, additional_context
# stdout: one JSON object, and nothing else: artefact_type, artefact_payload, summary
# stderr: anything that you want to log
# exit:   0 when done; any other code becomes a Failure artefact with the exit code, stdout and stderr
set -eu

work=$(cat)

# The target of the work. The payload of a goal is the text that the person typed.
type=$(printf '%s' "$work" | jq -enr 'input.target_artefact.type')
payload=$(printf '%s' "$work" | jq -enr 'input.target_artefact.payload')
echo "Working on $type: $payload" >&2

# Real work would go here: call a compiler, a linter, a model …

jq -n --arg type "$type" --arg payload "echo-$(date +%s)" '{
  artefact_type: "EchoSuccess",
  artefact_payload: $payload,
  summary: "Echoed the \($type) artefact"
}'

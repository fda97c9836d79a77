#!/bin/sh
# opencode finds the gateway by the opencode.json of its configuration, which also says what it may do. The container is its limit.
[ -z "${SETT_MCP_URL:-}" ] || OPENCODE_CONFIG_CONTENT=$(jq -n '{mcp: {sett: {type: "remote", url: env.SETT_MCP_URL, oauth: false,
  headers: {Authorization: "Bearer \(env.SETT_MCP_TOKEN)"}}}}')
[ -z "${SETT_MCP_URL:-}" ] || export OPENCODE_CONFIG_CONTENT
opencode run --title sett <"$1" || exit
while said=$(new-remarks) && [ -n "$said" ]; do
  printf '%s\n' "$said" | opencode run --continue || exit
done

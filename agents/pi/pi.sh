#!/bin/sh
# pi finds the gateway by models.json. The container is its limit, so that it asks for nothing.
export PI_CODING_AGENT_DIR="${TMPDIR:-/tmp}/pi" PI_OFFLINE=1 PI_TELEMETRY=0
mkdir -p "$PI_CODING_AGENT_DIR"
jq -n 'def size($text; $usual): ($text // "") | if . == "" then $usual else tonumber end;
  (if env.SETT_MODEL_PROVIDER == "anthropic"
    then {api: "anthropic-messages", baseUrl: env.ANTHROPIC_BASE_URL, apiKey: "$ANTHROPIC_API_KEY"}
    else {api: "openai-completions", baseUrl: env.OPENAI_BASE_URL, apiKey: "$OPENAI_API_KEY"} end) as $way
  | {providers: {sett: ($way + {models: [{id: env.SETT_MODEL,
      contextWindow: size(env.SETT_MODEL_CONTEXT; 200000), maxTokens: size(env.SETT_MODEL_OUTPUT; 16000)}]})}}' >"$PI_CODING_AGENT_DIR/models.json"
[ -z "${SETT_MCP_URL:-}" ] || jq -n '{mcpServers: {sett: {url: env.SETT_MCP_URL, headers: {Authorization: "Bearer ${SETT_MCP_TOKEN}"}}}}' \
  >"$PI_CODING_AGENT_DIR/mcp.json"
pi() {
  /opt/pi/node /opt/pi/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js \
    --print --provider sett --model "$SETT_MODEL" --no-approve --extension /app/remarks.js "$@"
}
pi <"$1" || exit
while said=$(new-remarks) && [ -n "$said" ]; do
  printf '%s\n' "$said" | pi --continue || exit
done

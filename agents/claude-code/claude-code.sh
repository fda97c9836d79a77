#!/bin/sh
# Claude Code finds the gateway by ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY. The container is its limit, so that it asks for nothing.
export ANTHROPIC_MODEL="$SETT_MODEL" ANTHROPIC_SMALL_FAST_MODEL="$SETT_MODEL" ANTHROPIC_DEFAULT_HAIKU_MODEL="$SETT_MODEL"
export CLAUDE_CODE_MAX_OUTPUT_TOKENS="${SETT_MODEL_OUTPUT:-16000}" IS_SANDBOX=1
prompt=$1
shift
if [ -n "${SETT_MCP_URL:-}" ]; then
  settings=${prompt%/*}/mcp.json
  jq -n '{mcpServers: {sett: {type: "http", url: env.SETT_MCP_URL, headers: {Authorization: "Bearer \(env.SETT_MCP_TOKEN)"}}}}' >"$settings"
  set -- --strict-mcp-config --mcp-config "$settings"
fi
hooks=${prompt%/*}/hooks.json
jq -n 'def run($event): {($event): [{hooks: [{type: "command", command: "new-remarks \($event)"}]}]};
  {hooks: (run("PostToolUse") + run("Stop"))}' >"$hooks"
exec claude --print --dangerously-skip-permissions --disallowedTools WebSearch WebFetch AskUserQuestion --settings "$hooks" "$@" <"$prompt"

#!/bin/sh
# Codex finds the gateway by these settings. The container is its limit, so that it needs no sandbox and asks for nothing.
export CODEX_HOME="${TMPDIR:-/tmp}/codex"
mkdir -p "$CODEX_HOME"
cat >"$CODEX_HOME/config.toml" <<TOML
model = "$SETT_MODEL"
model_provider = "sett"
web_search = "disabled"
check_for_update_on_startup = false
${SETT_MODEL_CONTEXT:+model_context_window = $SETT_MODEL_CONTEXT}
[analytics]
enabled = false
[model_providers.sett]
name = "sett"
base_url = "$OPENAI_BASE_URL"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
TOML
for event in PostToolUse Stop; do
  printf '[[hooks.%s]]\nhooks = [{ type = "command", command = "new-remarks %s" }]\n' "$event" "$event"
done >>"$CODEX_HOME/config.toml"
[ -z "${SETT_MCP_URL:-}" ] || cat >>"$CODEX_HOME/config.toml" <<TOML
[mcp_servers.sett]
url = "$SETT_MCP_URL"
bearer_token_env_var = "SETT_MCP_TOKEN"
TOML
exec codex exec --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust --skip-git-repo-check --color never - <"$1"

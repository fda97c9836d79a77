#!/bin/sh
# Qwen Code finds the gateway by the variables of the API, and these settings. The container is its limit, so that it asks for nothing.
export QWEN_HOME="${TMPDIR:-/tmp}/qwen" QWEN_CODE_MAX_OUTPUT_TOKENS="${SETT_MODEL_OUTPUT:-16000}"
mkdir -p "$QWEN_HOME"
jq -n 'def run($event): {($event): [{hooks: [{type: "command", command: "new-remarks \($event)"}]}]};
  {hooks: (run("PostToolUse") + run("Stop")), general: {enableAutoUpdate: false}, privacy: {usageStatisticsEnabled: false},
   telemetry: {enabled: false}, security: {folderTrust: {enabled: false}}}
  + if env.SETT_MCP_URL then {mcpServers: {sett: {httpUrl: env.SETT_MCP_URL, trust: true,
    headers: {Authorization: "Bearer \(env.SETT_MCP_TOKEN)"}}}} else {} end' >"$QWEN_HOME/settings.json"
exec /opt/qwen/node /opt/qwen/qwen-code/cli-entry.js --yolo --auth-type "$SETT_MODEL_PROVIDER" --model "$SETT_MODEL" \
  --exclude-tools web_fetch --exclude-tools web_search --exclude-tools ask_user_question <"$1"

#!/bin/sh
# mini-SWE-agent finds the gateway by the variables of the API. The container is its limit, so that it asks for nothing.
own="${TMPDIR:-/tmp}/mini"
export MSWEA_CONFIGURED=true MSWEA_SILENT_STARTUP=1 MSWEA_COST_TRACKING=ignore_errors MSWEA_GLOBAL_CONFIG_DIR="$own" \
  MSWEA_MODEL_RETRY_STOP_AFTER_ATTEMPT=4 LITELLM_LOCAL_MODEL_COST_MAP=True PYTHONPATH=/app
mkdir -p "$own"
# A prompt may be longer than a word of a command line can be.
jq -n --rawfile prompt "$1" '{run: {task: $prompt}, environment: {timeout: 600},
  model: {model_kwargs: {max_tokens: ((env.SETT_MODEL_OUTPUT // "") | if . == "" then 16000 else tonumber end)}}}' >"$own/settings.yaml"
exec /opt/mini/bin/mini --config mini.yaml --config "$own/settings.yaml" --model "$SETT_MODEL_PROVIDER/$SETT_MODEL" \
  --environment-class remarks.Environment --yolo --exit-immediately --cost-limit 0 --output "$own/run.json"

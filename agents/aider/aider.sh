#!/bin/sh
# aider finds the gateway by the variables of the API. It edits by its answers alone, and within the repository: a question comes from there.
set -eu
own="${TMPDIR:-/tmp}/aider"
model="$SETT_MODEL_PROVIDER/$SETT_MODEL"
export LITELLM_LOCAL_MODEL_COST_MAP=True
mkdir -p "$own"
jq -n --arg model "$model" 'def size($text; $usual): ($text // "") | if . == "" then $usual else tonumber end;
  {($model): {litellm_provider: env.SETT_MODEL_PROVIDER, mode: "chat", max_input_tokens: size(env.SETT_MODEL_CONTEXT; 200000),
    max_output_tokens: size(env.SETT_MODEL_OUTPUT; 16000)}}' >"$own/metadata.json"
jq -n --arg model "$model" '[{name: $model, edit_format: "diff", use_repo_map: true, weak_model_name: $model,
  extra_params: {max_tokens: ((env.SETT_MODEL_OUTPUT // "") | if . == "" then 16000 else tonumber end)}}]' >"$own/settings.yml"
sed "s#$SETT_ASK#sett-question.md#" "$1" >"$own/prompt.md"
run() {
  /opt/aider/bin/aider --model "$model" --model-metadata-file "$own/metadata.json" --model-settings-file "$own/settings.yml" \
    --chat-history-file "$own/chat.md" --input-history-file "$own/input" --no-show-model-warnings --no-check-update --no-show-release-notes \
    --analytics-disable --no-gitignore --no-auto-commits --no-dirty-commits --no-suggest-shell-commands --no-detect-urls --disable-playwright \
    --no-pretty --no-fancy-input --yes-always "$@"
}
run --message-file "$own/prompt.md"
while said=$(new-remarks) && [ -n "$said" ]; do
  printf '%s\n' "$said" >"$own/remarks.md"
  run --restore-chat-history --message-file "$own/remarks.md"
done
[ ! -f sett-question.md ] || mv sett-question.md "$SETT_ASK"

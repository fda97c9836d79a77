// OpenAI, and the many servers that are compatible with it.
import { isObject, memberAt, textAt } from "../../model/json.ts";
import type { ProviderTraits } from "../traits.ts";
import { listOf } from "../transcript-parts.ts";

/** By the HTTP status. */
const errorTypes: Readonly<Record<number, { type: string; code: string | null }>> = {
  401: { type: "authentication_error", code: "invalid_api_key" },
  402: { type: "insufficient_quota", code: "insufficient_quota" },
  403: { type: "permission_error", code: null },
  404: { type: "invalid_request_error", code: "not_found" },
  429: { type: "rate_limit_error", code: "rate_limit_exceeded" },
};

export const openai: ProviderTraits = {
  label: "OpenAI",
  address: "https://api.openai.com/v1",
  firstModel: "gpt-5.5",
  roots: ["/v1"],
  variables: {
    prefix: "OPENAI_",
    address: "OPENAI_BASE_URL",
    root: "/v1",
    key: "OPENAI_API_KEY",
    beside: [],
  },
  key: { header: "authorization", prefix: "Bearer " },
  ownHeaders: {},
  passes: {
    // Not `openai-organization` and `openai-project`: an agent must not choose whose account pays.
    toProvider: ["openai-beta"],
    toClient: /^(?:x-ratelimit-.+|openai-processing-ms|openai-version)$/,
  },
  errorOf(status, message) {
    const other = { type: status >= 500 ? "server_error" : "invalid_request_error", code: null };
    const { type, code } = errorTypes[status] ?? other;
    return { error: { message, type, param: null, code } };
  },
  errorEvent: (error) => `data: ${error}\n\n`,
  modelEntry: (model, since) => ({
    ...{ id: model, object: "model" },
    ...{ created: Date.parse(since) / 1_000, owned_by: "sett" },
  }),
  modelList: (entry) => ({ object: "list", data: [entry] }),
  question: {
    path: "/chat/completions",
    bodyOf: ({ model, maxTokens, system, user, tool: { schema, ...tool } }) => ({
      model,
      max_completion_tokens: maxTokens,
      messages: [
        { role: "system", content: system },
        { role: "user", content: user },
      ],
      tools: [{ type: "function", function: { ...tool, parameters: schema } }],
      tool_choice: { type: "function", function: { name: tool.name } },
    }),
    answerIn(answer) {
      const [choice] = listOf(memberAt(answer, "choices"));
      const message = memberAt(choice, "message");
      if (!isObject(message)) return undefined;
      const [call] = listOf(memberAt(message, "tool_calls"));
      if (call === undefined) return { text: textAt(message, "content") };
      // Some servers send the arguments as an object, and not as the text of one.
      const input = memberAt(call, "function", "arguments");
      return typeof input === "string" ? { text: input } : { input };
    },
  },
  client: "@ai-sdk/openai-compatible",
};

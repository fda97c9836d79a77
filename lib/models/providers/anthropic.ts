// Anthropic, and servers with its API.

import { memberAt, textAt } from "../../model/json.ts";
import type { ProviderTraits } from "../traits.ts";

/** By the HTTP status. */
const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export const anthropic: ProviderTraits = {
  label: "Anthropic",
  address: "https://api.anthropic.com/v1",
  firstModel: "claude-sonnet-5",
  // Some clients, such as those of the `ai` SDK, take the version as a part of the address.
  roots: ["/v1", ""],
  variables: {
    prefix: "ANTHROPIC_",
    address: "ANTHROPIC_BASE_URL",
    root: "",
    key: "ANTHROPIC_API_KEY",
    beside: ["ANTHROPIC_AUTH_TOKEN"],
  },
  key: { header: "x-api-key", prefix: "" },
  ownHeaders: { "anthropic-version": "2023-06-01" },
  passes: {
    toProvider: ["anthropic-version", "anthropic-beta"],
    toClient: /^anthropic-ratelimit-.+$/,
  },
  errorOf(status, message) {
    const other = status >= 500 ? "api_error" : "invalid_request_error";
    return { type: "error", error: { type: errorTypes[status] ?? other, message } };
  },
  errorEvent: (error) => `event: error\ndata: ${error}\n\n`,
  modelEntry: (model, since) => ({
    ...{ type: "model", id: model },
    ...{ display_name: model, created_at: since },
  }),
  modelList: (entry) => ({
    ...{ data: [entry], has_more: false },
    ...{ first_id: entry.id, last_id: entry.id },
  }),
  question: {
    path: "/messages",
    bodyOf: ({ model, maxTokens, system, user, tool: { schema, ...tool } }) => ({
      model,
      max_tokens: maxTokens,
      system,
      messages: [{ role: "user", content: user }],
      tools: [{ ...tool, input_schema: schema }],
      tool_choice: { type: "tool", name: tool.name },
    }),
    answerIn(answer) {
      const content = memberAt(answer, "content");
      if (!Array.isArray(content) || content.some((block) => textAt(block, "type") === ""))
        return undefined;
      const call = content.find((block) => textAt(block, "type") === "tool_use");
      if (call !== undefined) return { input: memberAt(call, "input") };
      return { text: content.map((block) => textAt(block, "text")).join("") };
    },
  },
  client: "@ai-sdk/anthropic",
};

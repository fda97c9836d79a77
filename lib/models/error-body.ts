// Errors as each provider writes them, so that every client shows them as its own.
import type { Provider } from "../model/config-models.ts";

const anthropicTypes: Readonly<Record<number, string>> = {
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

const openAiTypes: Readonly<Record<number, { type: string; code: string | null }>> = {
  401: { type: "authentication_error", code: "invalid_api_key" },
  402: { type: "insufficient_quota", code: "insufficient_quota" },
  403: { type: "permission_error", code: null },
  404: { type: "invalid_request_error", code: "not_found" },
  429: { type: "rate_limit_error", code: "rate_limit_exceeded" },
};

/** The body of an answer with this HTTP status, as JSON. `message`: a sentence. */
export function errorBody(format: Provider, status: number, message: string): string {
  if (format === "anthropic") {
    const type = anthropicTypes[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
    return JSON.stringify({ type: "error", error: { type, message } });
  }
  const known = openAiTypes[status] ?? {
    type: status >= 500 ? "server_error" : "invalid_request_error",
    code: null,
  };
  return JSON.stringify({ error: { message, type: known.type, param: null, code: known.code } });
}

/** The same as the last event of a stream that cannot go on. */
export function errorEvent(format: Provider, message: string): string {
  const data = errorBody(format, 500, message);
  return format === "anthropic" ? `event: error\ndata: ${data}\n\n` : `data: ${data}\n\n`;
}

// The errors that the gateway itself answers with, in the format of the client's API.
import type { Provider } from "../../lib/model/config-models.ts";
import { errorBody } from "../../lib/models/providers.ts";
import type { ErrorCode } from "./upstream.ts";

/**
 * Thrown to end a call. `message`: a sentence for the client. `mayRetry`: a repetition by the
 * client may help.
 */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly status: number;
  readonly code: ErrorCode;
  readonly mayRetry: boolean;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    {
      mayRetry = false,
      headers = {},
    }: { mayRetry?: boolean; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.mayRetry = mayRetry;
    this.headers = headers;
  }
}

export function errorResponse(
  format: Provider,
  { status, code, message, mayRetry, headers }: ClientError,
): Response {
  return new Response(errorBody(format, status, message), {
    status,
    // The official SDKs heed `x-should-retry`.
    headers: {
      "content-type": "application/json",
      "x-sett-error": code,
      "x-should-retry": String(mayRetry),
      ...headers,
    },
  });
}

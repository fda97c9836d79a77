// Why a call of the model failed, in a sentence, and whether it is worth another try.
import { APICallError } from "ai";
import { messageOf } from "../../../lib/model/errors.ts";
import { saysTooLong } from "./too-long.ts";

/**
 * `isAway`: the gateway waits for Redis, and takes calls when it is back. `isTooLong`: the model
 * takes no conversation of this length. `exhausted`: the budget is spent, and this is what the
 * gateway says about it.
 */
export class ModelCallError extends Error {
  override readonly name = "ModelCallError";
  readonly isRetryable: boolean;
  readonly isAway: boolean;
  readonly isTooLong: boolean;
  readonly retryAfterMs: number | undefined;
  readonly exhausted: Readonly<Record<string, unknown>> | undefined;

  constructor(
    message: string,
    about: {
      isRetryable: boolean;
      isAway?: boolean;
      isTooLong?: boolean;
      retryAfterMs?: number | undefined;
      exhausted?: Readonly<Record<string, unknown>> | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: about.cause });
    this.isRetryable = about.isRetryable;
    this.isAway = about.isAway === true;
    this.isTooLong = about.isTooLong === true;
    this.retryAfterMs = about.retryAfterMs;
    this.exhausted = about.exhausted;
  }
}

const maxSentence = 1_000;
const maxRetryAfterMs = 30_000;

export function callErrorOf(error: unknown): ModelCallError {
  if (!APICallError.isInstance(error))
    return new ModelCallError(`The model's answer cannot be used: ${cut(messageOf(error))}`, {
      isRetryable: true,
      cause: error,
    });
  const { statusCode, responseHeaders: headers = {}, responseBody = "" } = error;
  const said = sentenceIn(responseBody);
  if (statusCode === undefined)
    return new ModelCallError(`The model's API cannot be reached: ${cut(error.message)}`, {
      isRetryable: true,
      cause: error,
    });
  if (statusCode === 402 && headers["x-sett-error"] === "budget-exceeded") {
    return new ModelCallError(said ?? "The budget is spent.", {
      isRetryable: false,
      exhausted: objectIn(headers["x-sett-budget"] ?? ""),
      cause: error,
    });
  }
  if (statusCode < 400)
    return new ModelCallError(`The model's answer cannot be read: ${cut(error.message)}`, {
      isRetryable: true,
      cause: error,
    });
  const { error: about } = objectIn(responseBody);
  const isTooLong = saysTooLong(statusCode, { said, ...(isObject(about) ? about : {}) });
  const isRetryable =
    !isTooLong &&
    (headers["x-should-retry"] === undefined
      ? error.isRetryable
      : headers["x-should-retry"] === "true");
  const seconds = Number(headers["retry-after"]);
  const retryAfterMs =
    Number.isFinite(seconds) && seconds > 0
      ? Math.min(seconds * 1_000, maxRetryAfterMs)
      : undefined;
  return new ModelCallError(
    `The model's API answered with ${statusCode}: ${said ?? "it gave no reason."}`,
    {
      isRetryable,
      isTooLong,
      isAway: isRetryable && headers["x-sett-error"] === "redis-unreachable",
      retryAfterMs,
      cause: error,
    },
  );
}

/** Both providers' formats have the sentence in `error.message`. */
function sentenceIn(body: string): string | undefined {
  const { error } = objectIn(body);
  const message = isObject(error) && "message" in error ? error.message : error;
  const text = typeof message === "string" ? message : body;
  return text.trim() === "" ? undefined : cut(text.trim());
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function cut(text: string): string {
  return text.length > maxSentence ? `${text.slice(0, maxSentence).toWellFormed()}…` : text;
}

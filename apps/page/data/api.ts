// Defines how the page asks the API: one function for reads and one for writes. A refusal becomes
// an ApiError with the same sentences as on the command line.

import { adviceForPeople } from "../text/advice.ts";
import { authorization } from "./session.ts";

/** Has what the API's problem details (RFC 9457) say. `status` 0: there was no answer. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor({
    status,
    code,
    message,
    hint,
  }: { status: number; code: string; message: string; hint?: string | undefined }) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

type Query = Record<string, string | number | undefined>;

/** `/v1/events?goal=…`; members that are undefined or empty are left out. */
export function pathOf(path: string, query: Query = {}): string {
  const words = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === ""
      ? []
      : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`],
  );
  return words.length === 0 ? path : `${path}?${words.join("&")}`;
}

/** The caller names the type: page and server are one build. */
export async function getJson<Answer>(
  path: string,
  query?: Query,
  signal?: AbortSignal,
): Promise<Answer> {
  const response = await ask(pathOf(path, query), {
    headers: { accept: "application/json" },
    ...(signal && { signal }),
  });
  return (await response.json()) as Answer;
}

export async function getText(path: string, signal?: AbortSignal): Promise<string> {
  const response = await ask(path, {
    headers: { accept: "text/plain" },
    ...(signal && { signal }),
  });
  return await response.text();
}

/** The body as it comes in, for a log that is followed. */
export async function getStream(
  path: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { body } = await ask(path, { headers: { accept: "text/plain" }, signal });
  if (body === null)
    throw new ApiError({ status: 0, code: "not-ready", message: "The server sent no log." });
  return body;
}

/**
 * `key`: repeats of one intention carry one key, so that a goal is not stated twice. `token`: asks
 * with it instead of the session.
 */
export async function post<Answer>(
  path: string,
  body: object,
  { key, token }: { key?: string; token?: string } = {},
): Promise<Answer> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    ...(key && { "idempotency-key": key }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const response = await ask(path, { method: "POST", headers, body: JSON.stringify(body) });
  return (await response.json()) as Answer;
}

/**
 * Random; `crypto.randomUUID` is missing where the page comes over plain HTTP from another machine.
 */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

async function ask(
  path: string,
  init: RequestInit & { headers: Record<string, string> },
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      credentials: "same-origin",
      ...init,
      headers: { ...authorization(), ...init.headers },
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError({
      status: 0,
      code: "unreachable",
      message: "The server does not answer.",
      hint: "Does `sett ui`, or the container of the API, still run?",
    });
  }
  if (response.ok) return response;
  throw await problemOf(response);
}

async function problemOf(response: Response): Promise<ApiError> {
  const { status } = response;
  const problem: { code?: string; detail?: string; title?: string; hint?: string } = await response
    .json()
    .catch(() => ({ title: `The server answered ${status} ${response.statusText}.` }));
  const message = problem.detail ?? problem.title ?? `The server answered ${status}.`;
  const hint = adviceForPeople(problem.hint);
  return new ApiError({
    status,
    code: problem.code ?? String(status),
    message: adviceForPeople(message) ?? message,
    hint,
  });
}

// What the gateway must know of a request to a model: which model, a stream or not, and how long the answer may become.
import type { ModelApi } from "../model/model-call.ts";
import { isObject, type JsonObject, memberAt, parseJson, textAt } from "./json.ts";
import { type Member, membersOf, withMembers } from "./json-members.ts";
import { problemOf } from "./unbounded-request.ts";

/** The APIs that cost tokens. */
export type CostlyApi = Exclude<ModelApi, "other">;

export type ModelRequest = {
  api: CostlyApi;
  /** As the client sent it. */
  body: Uint8Array;
  text: string;
  json: JsonObject;
  members: readonly Member[];
  asked_model: string;
  is_stream: boolean;
  /** Tokens, of all the answers that it asks for; undefined where it names no limit. */
  max_output: number | undefined;
  /** How many answers it asks for. */
  answers: number;
  /** The answer of the provider that it continues, whose conversation the provider has kept. */
  previous_response: string | undefined;
};

/** `problem`: why the gateway does not pass it on, in a sentence. */
export type ReadRequest = { request: ModelRequest } | { problem: string };

const limitNames = {
  messages: ["max_tokens"],
  chat: ["max_tokens", "max_completion_tokens"],
  responses: ["max_output_tokens"],
} as const;

export function readRequest(api: CostlyApi, body: Uint8Array): ReadRequest {
  const text = decoded(body);
  const json = text === undefined ? undefined : parseJson(text);
  if (text === undefined || !isObject(json)) return { problem: "The request's body is not a JSON object." };
  const members = membersOf(text);
  const names = new Set<string>();
  for (const { name } of members) {
    // Which of them counts is not the same everywhere, and the reckoning must read what the provider reads.
    if (names.has(name)) return { problem: `The request has the member \`${name}\` twice.` };
    names.add(name);
  }
  const counts = [...limitNames[api], ...(api === "chat" ? ["n"] : [])];
  const wrong = counts.find((name) => !isCount(memberAt(json, name)));
  if (wrong !== undefined) return { problem: `\`${wrong}\` of the request must be a whole number.` };
  const problem = problemOf(api, json);
  if (problem !== undefined) return { problem };
  const limits = limitNames[api].map((name) => memberAt(json, name)).filter((limit) => typeof limit === "number");
  const answers = api === "chat" ? Math.max(1, Number(memberAt(json, "n") ?? 1)) : 1;
  return {
    request: {
      api,
      body,
      text,
      json,
      members,
      asked_model: textAt(json, "model").slice(0, 200),
      is_stream: memberAt(json, "stream") === true,
      max_output: limits.length === 0 ? undefined : Math.max(...limits) * answers,
      answers,
      previous_response: textAt(json, "previous_response_id") || undefined,
    },
  };
}

/** What the provider gets: its own name of the model, and for a stream of Chat Completions the wish to report the usage. */
export function bodyForProvider(
  { api, text, json, members, is_stream }: ModelRequest,
  model: string,
): { text: string; hasAddedUsage: boolean } {
  const values: Record<string, string> = { model: JSON.stringify(model) };
  const options = memberAt(json, "stream_options");
  const hasAddedUsage = api === "chat" && is_stream && memberAt(options, "include_usage") !== true;
  if (hasAddedUsage) values.stream_options = JSON.stringify({ ...(isObject(options) ? options : {}), include_usage: true });
  return { text: withMembers(text, members, values), hasAddedUsage };
}

function decoded(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): boolean {
  return value === undefined || value === null || (Number.isSafeInteger(value) && Number(value) >= 0);
}

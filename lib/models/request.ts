// Reads what the gateway must know of a request to a model: which model, a stream or not, and how
// long the answer may become.
import { type JsonMember, scanJson } from "../core/json-text.ts";
import { isObject, type JsonObject, memberAt, parseJson, textAt } from "../model/json.ts";
import type { CostlyApi } from "../model/model-call.ts";
import { apis } from "./apis.ts";
import { countMembers, withMembers } from "./json-members.ts";
import { problemOfParts } from "./part-elsewhere.ts";
import { problemOf } from "./unbounded-request.ts";

export type ModelRequest = {
  api: CostlyApi;
  /** As the client sent it. */
  body: Uint8Array;
  text: string;
  json: JsonObject;
  members: readonly JsonMember[];
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

/**
 * More is no request of a program that works: reading it would keep the calls of all others
 * waiting.
 */
const maxValues = 200_000;
const maxDepth = 500;
/**
 * No answer has more tokens, and no request asks for more answers. Their products are safe numbers.
 */
const maxLimit = 100_000_000;
const maxAnswers = 1_000;

const noObject = "The request's body is not a JSON object.";

export function readRequest(api: CostlyApi, body: Uint8Array): ReadRequest {
  const text = decoded(body);
  if (text === undefined) return { problem: noObject };
  const scan = scanJson(text, maxValues);
  if (scan.values > maxValues) return { problem: `The request has more than ${maxValues} values.` };
  if (scan.depth > maxDepth)
    return { problem: `The request's values are nested more than ${maxDepth} deep.` };
  const json = parseJson(text);
  if (!isObject(json)) return { problem: noObject };
  const members = scan.members.map((member) => ({ ...member, name: JSON.parse(member.name) }));
  const twice = nameTwice(api, members);
  // Which of two members of one name counts is not the same everywhere, and the reckoning must read
  // what the provider reads.
  if (twice !== undefined)
    return {
      problem: `The request has the member \`${twice}\` twice, or with other capitals than the API has.`,
    };
  if (countMembers(json) !== scan.names)
    return { problem: "An object in the request has a member twice." };
  const problem =
    wrongCount(api, json) ??
    problemOf(json) ??
    problemOfParts(json, apis[api].conversation) ??
    apis[api].problemOf?.(json);
  if (problem !== undefined) return { problem };
  return { request: { api, body, text, json, members, ...sizesIn(api, json) } };
}

function wrongCount(api: CostlyApi, json: JsonObject): string | undefined {
  const { limits, answers } = apis[api];
  const counts = [
    ...limits.map((name) => ({ name, most: maxLimit })),
    ...answers.map((name) => ({ name, most: maxAnswers })),
  ];
  const wrong = counts.find(({ name, most }) => !isCount(memberAt(json, name), most));
  if (wrong === undefined) return undefined;
  return `\`${wrong.name}\` of the request must be a whole number, at most ${wrong.most}.`;
}

function sizesIn(api: CostlyApi, json: JsonObject) {
  const limits = apis[api].limits
    .map((name) => memberAt(json, name))
    .filter((limit) => typeof limit === "number");
  const answers = Math.max(
    1,
    ...apis[api].answers.map((name) => Number(memberAt(json, name) ?? 1)),
  );
  return {
    asked_model: textAt(json, "model").slice(0, 200),
    is_stream: memberAt(json, "stream") === true,
    max_output: limits.length === 0 ? undefined : Math.max(...limits) * answers,
    answers,
    previous_response: textAt(json, "previous_response_id") || undefined,
  };
}

/**
 * Makes the body that the provider gets: with its own name of the model, and where a stream would
 * not report its usage, with the wish for it.
 */
export function bodyForProvider(
  { api, text, json, members, is_stream }: ModelRequest,
  model: string,
): { text: string; hasAddedUsage: boolean } {
  const wish = is_stream ? apis[api].wishForUsage?.(json) : undefined;
  const values = { model: JSON.stringify(model), ...wish };
  return { text: withMembers(text, members, values), hasAddedUsage: wish !== undefined };
}

function decoded(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

/**
 * Names that differ in capitals only are the same name for some servers, and the name of the model
 * is always written.
 */
function nameTwice(api: CostlyApi, members: readonly JsonMember[]): string | undefined {
  const names = new Set<string>();
  for (const { name } of members) {
    const plain = name.toLowerCase();
    if (names.has(plain) || (plain !== name && heeded(api).includes(plain))) return name;
    names.add(plain);
  }
  return undefined;
}

function heeded(api: CostlyApi): readonly string[] {
  return ["model", "stream", "stream_options", ...apis[api].limits, ...apis[api].answers];
}

function isCount(value: unknown, most: number): boolean {
  return (
    value === undefined ||
    value === null ||
    (Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most)
  );
}

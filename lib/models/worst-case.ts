// Bounds what a call may cost, before it is made. No tokenizer makes more tokens than its text has
// bytes, and JSON only lengthens text.

import type { Amounts } from "../model/budget.ts";
import type { ModelSettings } from "../model/config-models.ts";
import { isObject, type JsonObject, memberAt } from "../model/json.ts";
import { dearestRates, nanosOf } from "./cost.ts";
import type { ModelRequest } from "./request.ts";

/** An earlier request to the same model whose input the provider has counted. */
export type CountedRequest = { body: Uint8Array; input: number };

/** Tokens. */
export type Bound = { input: number; output: number };

/**
 * Providers add so much to a request: their own prompt for tools, marks between messages. In
 * tokens.
 */
const slack = 2_048;
/** Tools that the provider defines are described by the provider. */
const slackOfTool = 2_048;

/** For a model whose longest answer is not known. */
const defaultMaxOutput = 32_768;

/**
 * Parts that may become more tokens than they have bytes: a picture of one colour, a link to it, a
 * document of a hundred pages.
 */
const imageTokens = 50_000;
const documentTokens = 1_000_000;
const tokensOfPart: Readonly<Record<string, number>> = {
  image: imageTokens,
  image_url: imageTokens,
  input_image: imageTokens,
  computer_screenshot: imageTokens,
  document: documentTokens,
  file: documentTokens,
  input_file: documentTokens,
};

/**
 * The most tokens that the call may use. With `counted`, what both requests have in common costs
 * what the provider has counted. `previous`: the tokens of the conversation at the provider that
 * the request continues.
 */
export function boundOf(
  request: ModelRequest,
  model: Pick<ModelSettings, "max_output">,
  { counted, previous = 0 }: { counted?: CountedRequest | undefined; previous?: number } = {},
): Bound {
  const output = request.max_output ?? (model.max_output ?? defaultMaxOutput) * request.answers;
  // A predicted answer is output as well where it was proposed in vain.
  const predicted = isObject(memberAt(request.json, "prediction")) ? request.body.length : 0;
  return {
    input: Math.min(wholeInput(request), inputAfter(request, counted)) + previous,
    output: output + predicted,
  };
}

/**
 * The tokens of an answer, and what they cost: nothing where no price is known. `output` undefined:
 * of the longest answer of the model.
 */
export function maxAnswer(
  output: number | undefined,
  { max_output = defaultMaxOutput, price }: Pick<ModelSettings, "max_output" | "price">,
): { output: number; nanousd: number } {
  const tokens = output ?? max_output;
  return {
    output: tokens,
    nanousd: price === undefined ? 0 : nanosOf([[tokens, price.output]]),
  };
}

export function amountsOf(
  bound: Bound,
  { price }: Pick<ModelSettings, "price">,
  request: ModelRequest,
): Amounts {
  // Also where a compatible server has it from Anthropic. Within a string the quotes are escaped.
  const mayCacheLong = /"(?:1|\\u0031)(?:h|\\u0068)"/.test(request.text);
  const dearest =
    price === undefined ? { input: 0, output: 0 } : dearestRates(price, bound.input, mayCacheLong);
  const nanousd = nanosOf([
    [bound.input, dearest.input],
    [bound.output, dearest.output],
  ]);
  return { nanousd, tokens: bound.input + bound.output, calls: 1 };
}

/**
 * Whether the input of later requests may be reckoned from this one: the provider must have counted
 * all that the request has. Tools that are deferred count once they are used.
 */
export function isCountable({ json }: ModelRequest): boolean {
  if (
    ["truncation", "context_management", "previous_response_id"].some(
      (name) => memberAt(json, name) != null,
    )
  )
    return false;
  return !hasDeferredTool(json);
}

function hasDeferredTool(json: unknown): boolean {
  const tools = memberAt(json, "tools");
  if (!Array.isArray(tools)) return false;
  return tools.some((tool) => Boolean(memberAt(tool, "defer_loading")) || hasDeferredTool(tool));
}

function wholeInput(request: ModelRequest): number {
  return request.body.length + slackOf(request) + partTokens(typesIn(request.json));
}

function inputAfter(request: ModelRequest, counted: CountedRequest | undefined): number {
  if (counted === undefined || !isCountable(request)) return Number.POSITIVE_INFINITY;
  // Types that are written with escapes would be missed in the text.
  if (partTokens(typesInText(request.text)) !== partTokens(typesIn(request.json)))
    return Number.POSITIVE_INFINITY;
  const shared = sharedPrefix(request.body, counted.body);
  const rest = request.body.subarray(shared);
  const overlap = request.body.subarray(Math.max(0, shared - 64), shared);
  const parts = partTokens(typesInText(`${textOf(overlap)}${textOf(rest)}`));
  return counted.input + rest.length + slackOf(request) + parts;
}

function slackOf({ json }: ModelRequest): number {
  const tools = memberAt(json, "tools");
  const defined = (Array.isArray(tools) ? tools : []).filter(
    (tool) => memberAt(tool, "type") !== undefined,
  );
  const foreign = defined.filter(
    (tool) => memberAt(tool, "type") !== "function" && memberAt(tool, "type") !== "custom",
  );
  return slack + foreign.length * slackOfTool;
}

function partTokens(types: Iterable<string>): number {
  let tokens = 0;
  for (const type of types) tokens += tokensOfPart[type] ?? 0;
  return tokens;
}

function* typesIn(json: unknown): Iterable<string> {
  for (const { type } of partsIn(json)) if (typeof type === "string") yield type;
}

/**
 * Every object inside whose `type` may become more tokens than it has bytes. Not recursive: the
 * nesting is the client's.
 */
function* partsIn(json: unknown): Iterable<JsonObject> {
  const open: unknown[] = [json];
  while (open.length > 0) {
    const value = open.pop();
    if (
      isObject(value) &&
      typeof value.type === "string" &&
      Object.hasOwn(tokensOfPart, value.type)
    )
      yield value;
    if (typeof value !== "object" || value === null) continue;
    for (const inner of Array.isArray(value) ? value : Object.values(value)) {
      if (typeof inner === "object" && inner !== null) open.push(inner);
    }
  }
}

/** The same in the text of JSON: inside of a string its quotes would be escaped. */
function* typesInText(text: string): Iterable<string> {
  for (const [, type = ""] of text.matchAll(/"type"\s{0,8}:\s{0,8}"([a-z_]{1,24})"/g))
    if (Object.hasOwn(tokensOfPart, type)) yield type;
}

/** Pictures and documents inside, and the bytes of them that are in the request itself. */
export function mediaIn(json: unknown): { count: number; bytes: number } {
  let [count, bytes] = [0, 0];
  for (const part of partsIn(json)) {
    count++;
    const values = Object.values(part).flatMap((value) =>
      isObject(value) ? Object.values(value) : value,
    );
    for (const value of values) if (typeof value === "string") bytes += value.length;
  }
  return { count, bytes };
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** How many bytes both begin with. */
export function sharedPrefix(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length);
  let from = 0;
  // Whole blocks by the engine's own comparison, which is many times as fast.
  for (const block = 16_384; from + block <= length; from += block) {
    if (Buffer.compare(one.subarray(from, from + block), other.subarray(from, from + block)) !== 0)
      break;
  }
  while (from < length && one[from] === other[from]) from++;
  return from;
}

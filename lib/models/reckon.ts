// Reckons what a call has used, where its provider does not say it, or says what cannot be. Rather
// too much than too little, and near to what is due.
import type { ModelSettings } from "../model/config-models.ts";
import { memberAt } from "../model/json.ts";
import { type Came, signsOf, wordsIn } from "./answer-size.ts";
import { apis } from "./apis.ts";
import { type MeasuredUsage, noUsage } from "./cost.ts";
import type { ModelRequest } from "./request.ts";
import { type Bound, isCountable, mediaIn } from "./worst-case.ts";

/**
 * `isWhole`: all of the answer has come. `workedMs`: how long the provider had the request.
 * `bound`: the most that the call may use.
 */
export type Facts = {
  request: ModelRequest;
  model: Pick<ModelSettings, "model">;
  bound: Bound;
  came: Came;
  isWhole: boolean;
  workedMs: number;
};

/**
 * Tokenizers make of few texts less than a token from eight signs, and of usual ones more than one
 * from four: less than half of that.
 */
const maxSignsPerToken = 8;
/** Most texts have four bytes for each token, some three. */
const bytesPerToken = 3;
/**
 * The tokens of a picture and a document at least, and how many bytes of one, in base64, make a
 * token.
 */
const tokensOfMedia = 2_000;
const mediaBytesPerToken = 30;
/** Few models that think unseen write faster. Tokens. */
const tokensPerSecond = 200;
/** Thoughts are not everywhere counted to the limit of the answer. Tokens. */
const thoughtsBesides = 200_000;

/** Members of a request of which providers make no tokens, or others than their text has. */
const uncounted = new Set([
  ...["cache_control", "data", "encrypted_content", "file_data", "file_url", "image_url", "role"],
  ...["source", "thinking", "type", "url"],
]);

/** Whether the input that a provider reports can be. */
export function isPossibleInput(
  { input, cached, cache_write }: MeasuredUsage,
  { request, bound }: Facts,
): boolean {
  if (input === 0 || input > 2 * bound.input || cached + cache_write > input) return false;
  if (input * maxSignsPerToken >= request.body.length || !isCountable(request)) return true;
  const parts = apis[request.api].conversation.map((name) => memberAt(request.json, name));
  let signs = 0;
  for (const text of wordsIn(parts, uncounted)) signs += signsOf(text);
  const tools = ["tools", "functions"].map((name) => memberAt(request.json, name));
  for (const text of descriptionsIn(tools)) signs += signsOf(text);
  return input * maxSignsPerToken >= signs;
}

/** Providers write the rest of a tool's schema in forms of their own. */
function* descriptionsIn(roots: readonly unknown[]): Iterable<string> {
  const open = [...roots];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    const description = memberAt(value, "description");
    if (typeof description === "string") yield description;
    for (const inner of Object.values(value)) if (typeof inner === "object") open.push(inner);
  }
}

/** Whether the output that a provider reports can be. */
export function isPossibleOutput(output: number, { request, model, bound, came }: Facts): boolean {
  if (output * maxSignsPerToken < came.signs) return false;
  const most = 2 * bound.output + (thinks(request, model) ? thoughtsBesides : 0);
  return output <= Math.max(most, came.bytes);
}

/** `reported`: what the provider has said so far, each part of which counts where it can be. */
export function reckon(reported: MeasuredUsage | undefined, facts: Facts): MeasuredUsage {
  const { bound, came } = facts;
  const isInputKnown = reported !== undefined && isPossibleInput(reported, facts);
  const input = isInputKnown ? reported : { ...noUsage, input: likelyInput(facts) };
  const most = Math.max(bound.output, Math.ceil(came.signs / maxSignsPerToken));
  const likely = Math.min(
    most,
    Math.max(came.pieces, Math.ceil(came.bytes / bytesPerToken)) + unseen(facts),
  );
  const isOutputPossible = reported !== undefined && isPossibleOutput(reported.output, facts);
  const output = isOutputPossible ? Math.max(reported.output, likely) : likely;
  return {
    ...input,
    output,
    reasoning: isOutputPossible ? Math.min(reported.reasoning, output) : 0,
  };
}

function likelyInput({ request, bound }: Facts): number {
  // How much of the conversation the provider has is in the bound alone.
  if (request.previous_response !== undefined) return bound.input;
  const { count, bytes } = mediaIn(request.json);
  const text = Math.ceil(Math.max(0, request.body.length - bytes) / bytesPerToken);
  return Math.min(
    bound.input,
    text + count * tokensOfMedia + Math.ceil(bytes / mediaBytesPerToken),
  );
}

/**
 * Tokens that the provider may have made and not sent: thoughts, and all of an answer that comes at
 * its end.
 */
function unseen({ request, model, bound, isWhole, workedMs }: Facts): number {
  if (!thinks(request, model) && (request.is_stream || isWhole)) return 0;
  const budget = Number(memberAt(request.json, "thinking", "budget_tokens") ?? Number.NaN);
  const isBounded = isWhole || request.is_stream;
  const most = isBounded && budget > 0 ? Math.min(budget, bound.output) : bound.output;
  return Math.min(most, Math.ceil((workedMs / 1_000) * tokensPerSecond));
}

function thinks({ api, json }: ModelRequest, { model }: Facts["model"]): boolean {
  return apis[api].thinks(json, model);
}

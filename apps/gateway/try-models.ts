// Asks each model for a sentence and for a call of a tool, for `sett doctor --models`: whether it
// is reachable, streams and calls tools. It costs what a few words cost, and counts in no budget.
import type { ModelSettings } from "../../lib/model/config-models.ts";
import { isObject, memberAt, parseJson, textAt } from "../../lib/model/json.ts";
import { keyHeader, providers } from "../../lib/models/providers.ts";
import { listOf } from "../../lib/models/transcript-parts.ts";
import { maxAnswer } from "../../lib/models/worst-case.ts";
import { isEventStream, reasonOf, type WayTo } from "./ask-once.ts";
import { KeyHider } from "./hide-key.ts";
import { readBounded } from "./read-bounded.ts";

/**
 * `problem`: a sentence with the provider's own words and without a key, where the model cannot be
 * asked. `answer`: the most tokens of an answer, and what they cost, where a price is known.
 */
export type ModelTrial = {
  model: string;
  problem?: string;
  streams?: boolean;
  calls_tools?: boolean;
  answer: { tokens: number; nanousd?: number };
};

type Keys = { read(model: string): Promise<string | undefined> };
type Model = { name: string; settings: ModelSettings; key: string | undefined };
type Reply = { response: Response; text: string };

const maxBytes = 1024 * 1024;
const words = 64;
const tool = {
  name: "note_colour",
  description: "Notes the colour of the sky.",
  schema: { type: "object", properties: { colour: { type: "string" } }, required: ["colour"] },
};
const question = {
  system: "You answer in few words.",
  user: "Which colour has the sky on a clear day?",
  tool,
};

/** All at the same time; each within its own `timeout`. */
export async function tryModels(
  models: ReadonlyMap<string, ModelSettings>,
  keys: Keys,
  wayTo?: WayTo,
): Promise<ModelTrial[]> {
  return await Promise.all(
    [...models].map(async ([name, settings]) => {
      const { output: tokens, nanousd } = maxAnswer(undefined, settings);
      const answer = { tokens, ...(settings.price !== undefined && { nanousd }) };
      const model = { name, settings, key: await keys.read(name) };
      return { model: name, answer, ...(await tryOne(model, wayTo)) };
    }),
  );
}

async function tryOne(model: Model, wayTo?: WayTo): Promise<Omit<ModelTrial, "model" | "answer">> {
  const { settings, key } = model;
  if (settings.needs_key && key === undefined)
    return { problem: "The gateway has no key of it: run `sett up`." };
  const { bodyOf } = providers[settings.provider].question;
  const whole = { ...bodyOf({ ...question, model: settings.model, maxTokens: words }) };
  const { tools: _, tool_choice: __, ...sentence } = whole as Record<string, unknown>;
  try {
    const said = await ask(model, { ...sentence, stream: true });
    if (!said.response.ok) return { problem: refusalOf(said) };
    const called = await ask(model, whole);
    const calls_tools = called.response.ok && hasCall(parseJson(called.text));
    return { streams: isEventStream(said.response), calls_tools };
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    const why = isLate ? `gave no answer within ${settings.timeout_ms / 1_000} s` : reasonOf(error);
    return { problem: `${settings.base_url} ${why}${wayTo?.(settings.base_url) ?? ""}.` };
  }
}

async function ask({ settings, key }: Model, body: object): Promise<Reply> {
  const { provider, base_url, timeout_ms } = settings;
  const { question: format, ownHeaders } = providers[provider];
  const response = await fetch(`${base_url}${format.path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...ownHeaders, ...keyHeader(provider, key) },
    body: JSON.stringify(body),
    redirect: "manual",
    signal: AbortSignal.timeout(timeout_ms),
  });
  const bytes = (await readBounded(response.body, maxBytes)) ?? new Uint8Array();
  return { response, text: new TextDecoder().decode(new KeyHider(key).hideIn(bytes)) };
}

function refusalOf({ response: { status }, text }: Reply): string {
  const error = memberAt(parseJson(text), "error");
  const said = typeof error === "string" ? error : textAt(error, "message");
  return `It answers with ${status}${said === "" ? "" : `: ${said.slice(0, 300)}`}`;
}

/** A call of a tool in an answer of either API. */
function hasCall(answer: unknown): boolean {
  const [choice] = listOf(memberAt(answer, "choices"));
  if (listOf(memberAt(choice, "message", "tool_calls")).length > 0) return true;
  return listOf(memberAt(answer, "content")).some(
    (part) => isObject(part) && part.type === "tool_use",
  );
}

// One exchange with a model, as a file that people read, compare and commit.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { z } from "zod";
import { Provider } from "../../model/config-models.ts";
import { AgentName } from "../../model/ids.ts";
import { ModelApi } from "../../model/model-call.ts";
import { hideSecrets, hideSecretsIn } from "./hide-secrets.ts";
import { normaliseRequest } from "./normalise.ts";

const answerHead = { status: z.int().min(100).max(599), content_type: z.string() };

/**
 * `lines`: the text between the line feeds, so that joining them gives back each byte. `base64`:
 * bytes that are no UTF-8.
 */
const Answer = z.union([
  z.strictObject({ ...answerHead, lines: z.array(z.string()) }),
  z.strictObject({ ...answerHead, base64: z.base64() }),
]);
type Answer = z.infer<typeof Answer>;

export const Exchange = z.strictObject({
  format: z.literal(1),
  agent: AgentName,
  /** The first is 1. Among equal requests of one agent, it says which answer comes first. */
  order: z.int().min(1),
  /**
   * The digest of the request, as `digestOf` gives it. For readers: equal requests have equal
   * digests.
   */
  digest: z.string(),
  provider: Provider,
  api: ModelApi,
  request: z.unknown(),
  answer: Answer,
});
export type Exchange = z.infer<typeof Exchange>;

/** `request`: the parsed body. */
export type AskedModel = { agent: AgentName; provider: Provider; api: ModelApi; request: unknown };

/** SHA-256 in hexadecimal, of what stays the same from run to run. */
export function digestOf({ api, request }: Pick<AskedModel, "api" | "request">): string {
  return createHash("sha256")
    .update(JSON.stringify([api, normaliseRequest(hideSecretsIn(request, []))]))
    .digest("hex");
}

/** @param keys the keys that must not be written */
export function makeExchange(
  { agent, provider, api, request }: AskedModel,
  received: { order: number; status: number; contentType: string; body: Uint8Array },
  keys: readonly string[],
): Exchange {
  const clean = hideSecretsIn(request, keys);
  const head = { status: received.status, content_type: received.contentType };
  const digest = digestOf({ api, request: clean });
  const answer = { ...head, ...bodyMember(received.body, keys) };
  return { format: 1, agent, order: received.order, digest, provider, api, request: clean, answer };
}

function bodyMember(
  body: Uint8Array,
  keys: readonly string[],
): { lines: string[] } | { base64: string } {
  const text = textOf(body);
  if (text !== undefined) return { lines: hideSecrets(text, keys).split("\n") };
  // In Latin 1 each byte is one character, so that a key is found between bytes that are no text.
  const clean = hideSecrets(Buffer.from(body).toString("latin1"), keys);
  return { base64: Buffer.from(clean, "latin1").toString("base64") };
}

/** Undefined where the bytes are not exactly those of a text. */
function textOf(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

/** The bytes that the provider sent. */
export function answerBytes(answer: Answer): Uint8Array {
  return "lines" in answer
    ? new TextEncoder().encode(answer.lines.join("\n"))
    : new Uint8Array(Buffer.from(answer.base64, "base64"));
}

/**
 * The answer in the pieces in which a stream is sent: each event of a `text/event-stream` for
 * itself, everything else whole.
 */
export function answerPieces(answer: Answer): Uint8Array[] {
  if (!("lines" in answer) || !/^text\/event-stream\b/i.test(answer.content_type))
    return [answerBytes(answer)];
  const events = answer.lines.join("\n").split(/(?<=\n\r?\n)/);
  return events.map((event) => new TextEncoder().encode(event));
}

/** Below the folder of the cassettes. */
export function fileOf({ agent, order }: Pick<Exchange, "agent" | "order">): string {
  return `${agent}/${String(order).padStart(4, "0")}.json`;
}

export function printExchange(exchange: Exchange): string {
  return `${JSON.stringify(exchange, null, 2)}\n`;
}

/**
 * @param place the agent's folder, which must be the exchange's agent; `problem` is the end of a
 * sentence that names the file
 */
export function parseExchange(
  text: string,
  place: { agent: string },
): { exchange: Exchange } | { problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { problem: `is not JSON (${error instanceof Error ? error.message : String(error)})` };
  }
  const { success, data, error } = Exchange.safeParse(json);
  if (!success) {
    const [issue] = error.issues;
    const member = issue?.path.join(".") ?? "";
    return {
      problem:
        `is no exchange${member === "" ? "" : `: \`${member}\``} ${issue?.message ?? ""}`.trimEnd(),
    };
  }
  if (data.agent !== place.agent) {
    return {
      problem: `is an exchange of the agent ${data.agent}, but it is in the folder of ${place.agent}`,
    };
  }
  return { exchange: data };
}

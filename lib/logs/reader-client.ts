// The reader of logs, as the API reaches it.
import { z } from "zod";
import { exitCodeOf, messageOf, SettError, type SettErrorCode } from "../model/errors.ts";
import type { LogRequest, LogSource } from "./log-source.ts";

const Names = z.object({ names: z.array(z.string()) });
const Failed = z.object({ code: z.string(), message: z.string(), hint: z.string().optional() });

export class ReaderClient implements LogSource {
  readonly #url: string;

  /** `url`: without a slash at its end. */
  constructor(url: string) {
    this.#url = url;
  }

  async names(): Promise<string[]> {
    const response = await this.#ask("parts", AbortSignal.timeout(askMs));
    if (!response.ok) throw await failureOf(response);
    return Names.parse(await response.json()).names;
  }

  async read(
    name: string,
    { tail, follow = false, signal }: LogRequest,
  ): Promise<AsyncIterable<string> | undefined> {
    const query = new URLSearchParams({
      follow: String(follow),
      ...(tail !== undefined && { tail: String(tail) }),
    });
    const response = await this.#ask(`parts/${encodeURIComponent(name)}/log?${query}`, signal);
    if (response.status === 404) return undefined;
    if (!response.ok) throw await failureOf(response);
    return linesOf(response.body, signal);
  }

  async #ask(path: string, signal: AbortSignal): Promise<Response> {
    try {
      return await fetch(`${this.#url}/${path}`, { signal });
    } catch (cause) {
      const hint = "`sett up` starts it again.";
      throw new SettError(
        "docker-unreachable",
        `The reader of logs does not answer: ${messageOf(cause)}`,
        { hint, cause },
      );
    }
  }
}

const askMs = 10_000;

async function failureOf(response: Response): Promise<SettError> {
  const { code, message, hint } = Failed.parse(await response.json());
  return new SettError(isKnown(code) ? code : "internal", message, { hint });
}

function isKnown(code: string): code is SettErrorCode {
  return Object.hasOwn(exitCodeOf, code);
}

/** An abort ends the lines without an error. */
async function* linesOf(
  body: ReadableStream<Uint8Array> | null,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let isFirst = true;
  let rest = "";
  try {
    for await (const chunk of body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      yield* isFirst ? lines.slice(1) : lines;
      isFirst &&= lines.length === 0;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  if (rest !== "") yield rest;
}

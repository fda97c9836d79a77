// Asks an authority that stamps the time, or a witness, by HTTP. What answers may be anything.
import { Buffer } from "node:buffer";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { clauseOf, SettError } from "../../../lib/model/errors.ts";

/** `body`: of at most `maxAnswerBytes`. */
export type Answer = { status: number; body: Buffer };
type Request = {
  url: string;
  body: string | Uint8Array<ArrayBuffer>;
  type: string;
  signal: AbortSignal;
  patienceMs?: number;
};

const usualPatienceMs = 30_000;
const maxAnswerBytes = 65_536;

/** Throws `usage` for what is no address, and `not-ready` where no answer comes, or a long one. */
export async function askOutside({
  url,
  body,
  type,
  signal,
  patienceMs = usualPatienceMs,
}: Request): Promise<Answer> {
  const address = addressOf(url);
  const patience = AbortSignal.timeout(patienceMs);
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { "content-type": type },
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, patience]),
    });
    const answer = { status: response.status, body: await bodyOf(response) };
    if (answer.body.length > maxAnswerBytes) throw new Error("it sends more than 64 KiB");
    if (response.status < 300 || response.status > 399) return answer;
    const target = response.headers.get("location") ?? "another address";
    throw new Error(`it leads on to ${oneLine(target)}, which you can name instead`);
  } catch (cause) {
    signal.throwIfAborted();
    const why = patience.aborted ? `it was silent for ${patienceMs / 1_000} s` : clauseOf(cause);
    throw new SettError("not-ready", `${oneLine(url)} has not answered as it should: ${why}.`, {
      hint: "Nothing of it was kept. Run the command again, or name another one.",
      cause,
    });
  }
}

function addressOf(url: string): URL {
  const address = URL.parse(url);
  if (address !== null && /^https?:$/.test(address.protocol)) return address;
  throw new SettError("usage", `${oneLine(url)} is no address of HTTP.`, {
    hint: "It looks like https://timestamp.example/",
  });
}

/** A little more than it may be, where it is more. */
async function bodyOf(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) break;
  }
  return Buffer.concat(chunks);
}

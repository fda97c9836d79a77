// Reads answers to their end. dockerode never calls back where the connection ends in the middle of
// an answer.
import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";

export type Answered = (error: unknown, data?: unknown) => void;
export type Dial<Request> = (request: Request, answered?: Answered) => void;

/** A dial that gives an answer whole, or an error; one that is asked for as a stream stays one. */
export function wholeAnswers<Request extends { isStream?: boolean; abortSignal?: AbortSignal }>(
  dial: Dial<Request>,
): Dial<Request> {
  return (request, answered) => {
    if (request.isStream === true) return dial(request, answered);
    dial({ ...request, isStream: true }, (error, answer) => {
      if (error) return answered?.(error, null);
      read(answer as Readable, request.abortSignal).then(
        (body) => answered?.(null, body),
        (failure: unknown) => answered?.(failure, null),
      );
    });
  };
}

/** Returns what the JSON says; the bytes where it is none, as dockerode gives them. */
async function read(answer: Readable, signal: AbortSignal | undefined): Promise<unknown> {
  const stop = () => answer.destroy(new DOMException("Aborted.", "AbortError"));
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of answer) chunks.push(Buffer.from(chunk));
  } finally {
    signal?.removeEventListener("abort", stop);
  }
  const bytes = Buffer.concat(chunks);
  try {
    return JSON.parse(bytes.toString()) ?? bytes;
  } catch {
    return bytes;
  }
}

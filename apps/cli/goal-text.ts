// What `--goal` says, or stdin for `--goal -`.
import { Buffer } from "node:buffer";
import { maxPayloadBytes } from "../../lib/model/artefact.ts";
import { SettError } from "../../lib/model/errors.ts";
import { aborted } from "../../lib/service/pause.ts";
import type { Shell } from "./shell.ts";

/** Byte for byte. Throws `goal-invalid` when it is empty, too long, or no text. */
export async function readGoalText(given: string, shell: Pick<Shell, "stdin" | "interrupted">): Promise<string> {
  const text = given === "-" ? await Promise.race([readStdin(shell.stdin()), interruption(shell.interrupted)]) : given;
  if (text.trim() === "") {
    throw new SettError("goal-invalid", "The goal is empty.", { hint: 'Say what is to be done: --goal "Write the changelog"' });
  }
  if (Buffer.byteLength(text) > maxPayloadBytes) throw tooLong();
  return text;
}

async function readStdin(stdin: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxPayloadBytes) throw tooLong();
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new SettError("goal-invalid", "The goal on stdin is not UTF-8 text.", { hint: "Give it as text.", cause });
  }
}

async function interruption(signal: AbortSignal): Promise<never> {
  await aborted(signal);
  throw new SettError("interrupted", "Interrupted before the goal was read: nothing was stated.");
}

function tooLong(): SettError {
  return new SettError("goal-invalid", "The goal is longer than 16 MiB.", {
    hint: "Commit what is large to the repository, and name its path in the goal.",
  });
}

// A text that an option says, or stdin where it says `-`.
import { maxPayloadBytes } from "../../lib/model/artefact.ts";
import { SettError } from "../../lib/model/errors.ts";
import type { Shell } from "./shell.ts";

/** Byte for byte. Throws `usage` for what is too long or no text. */
export async function readGivenText(given: string, { stdin }: Pick<Shell, "stdin">): Promise<string> {
  if (given !== "-") return given;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let [text, length] = ["", 0];
  try {
    for await (const chunk of stdin()) {
      length += chunk.length;
      if (length > maxPayloadBytes) throw new SettError("usage", "What stands on stdin is longer than 16 MiB.");
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new SettError("usage", "What stands on stdin is not UTF-8 text.", { hint: "Give it as text.", cause });
  }
}

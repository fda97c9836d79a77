// Reads the file that says whose keys sign for whom.
import { readFile } from "node:fs/promises";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { type AllowedSigner, readSigners } from "../../../lib/proof/ssh/allowed-signers.ts";

const maxShown = 10;

/** `name`: as the person has typed it. Throws `usage`. */
export async function readSignersFile(path: string, name: string): Promise<AllowedSigner[]> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new SettError("usage", `The signers cannot be read: ${oneLine(messageOf(cause))}.`, {
      cause,
    });
  });
  const { signers, mistakes } = readSigners(text);
  const [first] = mistakes;
  if (first === undefined && signers.length > 0) return signers;
  const lines = mistakes
    .slice(0, maxShown)
    .map(({ line, sentence }) => `${oneLine(name)}:${line} ${sentence}`);
  throw new SettError(
    "usage",
    first === undefined ? `${oneLine(name)} names no signer.` : `${lines.join("\n")}`,
    {
      hint: "A line is one of `ssh-keygen`'s allowed_signers: `ada@example.org ssh-ed25519 AAAA…`",
    },
  );
}

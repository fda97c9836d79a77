// `--sign` and `--receipt`: a person signs what they do, and keeps the proof that it is on record.
// The code that does so is loaded where it is asked for: few acts are signed, and each command
// would pay.
import type { Sign } from "../../../lib/client/actions/sign.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { type Meaning, meanings } from "../../../lib/model/meaning.ts";
import type { ReceiptFile } from "../audit/receipt.ts";
import type { Place } from "../instance/place.ts";
import type { Values } from "../program/command.ts";
import type { Shell } from "../terminal/shell.ts";

export const signArguments = {
  sign: {
    type: "boolean",
    description: "sign it with your key of SSH: `user.signingkey` in git, as git signs commits",
  },
  "sign-with": {
    type: "string",
    valueHint: "KEY",
    description: "sign it with this key: its file, or the public key of one that ssh-agent has",
  },
  meaning: {
    type: "string",
    valueHint: "WORD",
    description: `what your signature means: ${meanings.join(", ")}`,
  },
  receipt: {
    type: "string",
    valueHint: "FILE",
    description: "wait until the log has it, and keep the proof in this file",
  },
} as const;

export type SignArguments = Values<typeof signArguments>;

/** Undefined where the person does not sign. Throws `usage`. */
export async function signerFor(
  args: SignArguments,
  place: Pick<Place, "workspace">,
  shell: Shell,
): Promise<Sign | undefined> {
  const { meaning } = args;
  if (meaning !== undefined && !isMeaning(meaning))
    throw new SettError("usage", `--meaning is none of: ${meanings.join(", ")}.`);
  const isSigning = args.sign || args["sign-with"] !== undefined;
  if (!isSigning && meaning !== undefined)
    throw new SettError("usage", "--meaning says what a signature means, and nothing is signed.", {
      hint: "Add --sign.",
    });
  if (!isSigning) return undefined;
  const { signerWith } = await import("./signer.ts");
  return await signerWith({ key: args["sign-with"], meaning }, place, shell);
}

/** Undefined where none is wanted. Throws as `openReceipt`. */
export async function receiptFor(
  { receipt: file, name }: Pick<SignArguments, "receipt"> & { name: string | undefined },
  shell: Shell,
): Promise<ReceiptFile | undefined> {
  if (file === undefined) return undefined;
  const { openReceipt } = await import("../audit/receipt.ts");
  return await openReceipt({ file, name }, shell);
}

function isMeaning(text: string): text is Meaning {
  return (meanings as readonly string[]).includes(text);
}

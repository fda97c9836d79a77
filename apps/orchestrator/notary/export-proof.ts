// `orchestrator --export-proof` and `--proof-key`: for the command line, which has no access to the
// volume with the key and the log.
import { z } from "zod";
import { SettError } from "../../../lib/model/errors.ts";
import { GoalId, type InstanceName } from "../../../lib/model/ids.ts";
import { goalNoteText, proofText, readRecord } from "../../../lib/proof/formats.ts";
import {
  newPrivateKey,
  type SignerKey,
  signerKey,
  signNote,
  verifierKeyText,
} from "../../../lib/proof/note.ts";
import type { SealedFiles } from "./sealed-files.ts";
import { SealedLog, sizeSigned } from "./sealed-log.ts";

const Order = z.strictObject({ goal: GoalId.optional() });

/** The key of the volume; a new one where it has none. */
export async function openKey(files: SealedFiles, instance: InstanceName): Promise<SignerKey> {
  const known = await files.readText("key");
  const pem = known ?? newPrivateKey();
  if (known === undefined) await files.writeText("key", pem);
  return signerKey(pem, (sha256) => `${instance}.sett.invalid/${sha256.slice(0, 8)}`);
}

export async function proofKey(files: SealedFiles, instance: InstanceName): Promise<string> {
  return verifierKeyText(await openKey(files, instance));
}

/**
 * `order`: JSON, with the `goal` that it is about, else it is about all. A line of JSON for the
 * checkpoint, with `last_place`, and one for each entry; for a goal at the end one with the note
 * about it. Throws `usage`, and `not-ready` where nothing is sealed.
 */
export async function* exportLines(
  files: SealedFiles,
  instance: InstanceName,
  order: string,
): AsyncGenerator<string> {
  const { goal } = parsed(order);
  const key = await openKey(files, instance);
  const checkpoint = await files.readText("checkpoint");
  const size = sizeSigned(checkpoint, key);
  if (size === undefined || checkpoint === undefined)
    throw new SettError("not-ready", "The notary has sealed nothing yet.", {
      hint: `\`sett logs notary --name ${instance}\` may show why.`,
    });
  const sealed = await SealedLog.open(files, key, { size, isWriter: false });
  yield JSON.stringify({ checkpoint, last_place: sealed.lastPlace, key: verifierKeyText(key) });
  let [entries, openClaims] = [0, 0];
  for await (const one of goal === undefined ? sealed.all() : sealed.entriesOf(goal)) {
    entries++;
    openClaims += claimsBy(one.record);
    const proof =
      goal === undefined
        ? undefined
        : proofText({ index: one.index, path: await sealed.prove(one.index), checkpoint });
    yield JSON.stringify({ ...one, proof });
  }
  if (goal === undefined) return;
  const state = openClaims > 0 ? "open" : "closed";
  yield JSON.stringify({ note: signNote(goalNoteText({ goal, entries, size, state }), key) });
}

/** How many more claims are open after this event. */
function claimsBy(record: string): number {
  const type = readRecord(record)?.type;
  if (type === "claim_opened") return 1;
  return type === "claim_completed" || type === "claim_terminated" ? -1 : 0;
}

function parsed(order: string): z.output<typeof Order> {
  try {
    return Order.parse(JSON.parse(order));
  } catch {
    throw new SettError("usage", "What to export cannot be read on stdin.", {
      hint: "Write JSON, as `sett` does.",
    });
  }
}

// `orchestrator --export-proof` and `--proof-key`: for the command line, which has no access to the
// volume with the key and the log.
import { z } from "zod";
import { SettError } from "../../../lib/model/errors.ts";
import { GoalId, type InstanceName } from "../../../lib/model/ids.ts";
import { goalNoteText, jsonObject, proofText, readRecord } from "../../../lib/proof/formats.ts";
import {
  newPrivateKey,
  type SignerKey,
  signerKey,
  signNote,
  verifierKeyText,
} from "../../../lib/proof/note.ts";
import { orderIn } from "../../../lib/service/order-in.ts";
import type { SealedFiles } from "./sealed-files.ts";
import { SealedLog, sizeSigned } from "./sealed-log.ts";

/** `part`: of the whole log under this checkpoint, from this index on. */
const Order = z.union([
  z.strictObject({ head: z.literal(true) }),
  z.strictObject({ goal: GoalId }),
  z.strictObject({
    part: z.strictObject({
      of: z.enum(["entries", "records"]),
      checkpoint: z.string(),
      from: z.int().nonnegative(),
    }),
  }),
]);

/** A part has these many lines at most, and one line more than these characters. */
const maxLines = 20_000;
const maxCharacters = 16 * 1024 ** 2;

/**
 * The key of the volume; a new one where it has none. Only the notary makes one, and of two that
 * begin at once both have the key of the first.
 */
export async function openKey(files: SealedFiles, instance: InstanceName): Promise<SignerKey> {
  if ((await files.readText("key")) === undefined) await files.createKey(newPrivateKey());
  return await knownKey(files, instance);
}

/** Throws `not-ready` where the volume has no key yet. */
export async function proofKey(files: SealedFiles, instance: InstanceName): Promise<string> {
  return verifierKeyText(await knownKey(files, instance));
}

/**
 * `order`: JSON. It asks for the head, a line of JSON with the checkpoint and how far it goes; for
 * a goal: the head, a line for each entry, and one with the note about the goal; or for a part of
 * the log, without a head: a line for each entry, or for each record. The caller asks for parts
 * until it has all. Throws `usage`, and `not-ready` where nothing is sealed.
 */
export async function* exportLines(
  files: SealedFiles,
  instance: InstanceName,
  order: string,
): AsyncGenerator<string> {
  const wanted = parsed(order);
  const key = await knownKey(files, instance);
  const checkpoint = await files.readText("checkpoint");
  const size = sizeSigned(checkpoint, key);
  if (size === undefined || checkpoint === undefined) throw nothingSealed(instance);
  if ("part" in wanted) return yield* partLines(files, key, { ...wanted.part, size });
  const sealed = await SealedLog.open(files, key, { size, isWriter: false });
  const lastPlace = sealed.lastPlace;
  yield JSON.stringify({ checkpoint, size, last_place: lastPlace, key: verifierKeyText(key) });
  if (!("goal" in wanted)) return;
  const { goal } = wanted;
  let entries = 0;
  const openClaims = new Set<unknown>();
  for await (const one of sealed.entriesOf(goal)) {
    entries++;
    noteClaim(one.record, openClaims);
    const path = await sealed.prove(one.index);
    yield JSON.stringify({ ...one, proof: proofText({ index: one.index, path, checkpoint }) });
  }
  const state = openClaims.size > 0 ? "open" : "closed";
  yield JSON.stringify({ note: signNote(goalNoteText({ goal, entries, size, state }), key) });
}

async function* partLines(
  files: SealedFiles,
  key: SignerKey,
  part: { of: "entries" | "records"; checkpoint: string; from: number; size: number },
): AsyncGenerator<string> {
  const size = sizeSigned(part.checkpoint, key);
  if (size === undefined || size > part.size)
    throw new SettError("not-ready", "The notary does not know this checkpoint.", {
      hint: "Run the command again.",
    });
  const sealed = await SealedLog.open(files, key, { size, isWriter: false });
  let [lines, characters] = [0, 0];
  for await (const { entry, record } of sealed.all(part.from)) {
    const text = JSON.stringify(part.of === "entries" ? { entry } : { record });
    yield text;
    lines++;
    characters += text.length;
    if (lines >= maxLines || characters > maxCharacters) return;
  }
}

async function knownKey(files: SealedFiles, instance: InstanceName): Promise<SignerKey> {
  const pem = await files.readText("key");
  if (pem === undefined) throw nothingSealed(instance);
  return signerKey(pem, (sha256) => `${instance}.sett.invalid/${sha256.slice(0, 8)}`);
}

function nothingSealed(instance: InstanceName): SettError {
  return new SettError("not-ready", "The notary has sealed nothing yet.", {
    hint: `\`sett logs notary --name ${instance}\` may show why.`,
  });
}

/** Each by its id: what a person has written of one claim says nothing of another one. */
function noteClaim(record: string, open: Set<unknown>): void {
  const { type, event = "" } = readRecord(record) ?? {};
  const claim = jsonObject(event)?.claim_id;
  if (type === "claim_opened") open.add(claim);
  if (type === "claim_completed" || type === "claim_terminated") open.delete(claim);
}

function parsed(order: string): z.output<typeof Order> {
  return orderIn(order, {
    shape: Order,
    what: "What to export",
    hint: "Write JSON, as `sett` does.",
  });
}

// `orchestrator --export-proof` and `--proof-key`: for the command line, which has no access to the
// volume with the key and the log.
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { z } from "zod";
import { SettError } from "../../../lib/model/errors.ts";
import { GoalId, type InstanceName } from "../../../lib/model/ids.ts";
import {
  attestationKeyText,
  newAttestationKey,
  signAttestation,
} from "../../../lib/proof/attestation.ts";
import {
  goalNoteText,
  hashesText,
  jsonObject,
  proofText,
  readRecord,
} from "../../../lib/proof/formats.ts";
import { idOfArtefact } from "../../../lib/proof/named-content.ts";
import {
  newPrivateKey,
  type SignerKey,
  signNote,
  verifierKeyText,
} from "../../../lib/proof/note.ts";
import { Provenance, resultIn } from "../../../lib/proof/provenance.ts";
import { receiptText } from "../../../lib/proof/receipt.ts";
import { orderIn } from "../../../lib/service/order-in.ts";
import { type SealedAnchor, sealedAnchor } from "./anchors.ts";
import { knownKey, nothingSealed } from "./known-key.ts";
import type { SealedFiles } from "./sealed-files.ts";
import { SealedLog, sizeSigned } from "./sealed-log.ts";

/**
 * `part`: of the whole log under this checkpoint, from this index on. `anchors`: what others have
 * seen, as far as it says when the entries from `first` to `last` were there. `consistency`: of the
 * first `from` entries with those of the checkpoint. `attest`: the results among these files, by
 * the log up to this checkpoint. They are those of a bundle, in base64.
 */
const Order = z.union([
  z.strictObject({ head: z.literal(true) }),
  z.strictObject({ goal: GoalId }),
  z.strictObject({
    attest: z.strictObject({ checkpoint: z.string(), files: z.record(z.string(), z.base64()) }),
  }),
  z.strictObject({
    part: z.strictObject({
      of: z.enum(["entries", "records"]),
      checkpoint: z.string(),
      from: z.int().nonnegative(),
    }),
  }),
  z.strictObject({
    anchors: z.strictObject({ checkpoint: z.string(), first: z.int(), last: z.int() }),
  }),
  z.strictObject({
    consistency: z.strictObject({ checkpoint: z.string(), from: z.int().positive() }),
  }),
]);

/** A part has these many lines at most, and one line more than these characters. */
const maxLines = 20_000;
const maxCharacters = 16 * 1024 ** 2;

/**
 * The key of the volume; a new one where it has none, and another one for attestations. Only the
 * notary makes them, and of two that begin at once both have those of the first. `pinned`: the
 * public key that it must be. Throws `not-ready` where it is another one, or is gone.
 */
export async function openKey(
  files: SealedFiles,
  instance: InstanceName,
  pinned?: string,
): Promise<SignerKey> {
  if ((await files.readText("key")) === undefined) await requireNewVolume(files, pinned);
  const makers = { key: newPrivateKey, "attestation-key": newAttestationKey } as const;
  for (const name of ["key", "attestation-key"] as const)
    if ((await files.readText(name)) === undefined) await files.createText(name, makers[name]());
  const key = await knownKey(files, instance);
  const own = verifierKeyText(key);
  if (pinned === undefined || pinned === own) return key;
  throw new SettError("not-ready", `The notary has another key than \`proof.key\` pins: ${own}`, {
    hint: howToGoOn,
  });
}

const howToGoOn = "docs/guides/proof.md says how to go on.";

/** A key that is made in the place of one that was lost would begin another log unnoticed. */
async function requireNewVolume(files: SealedFiles, pinned: string | undefined): Promise<void> {
  const hint = `Bring back the newest copy of the volume. Where there is none: ${howToGoOn}`;
  if ((await files.readText("checkpoint")) !== undefined)
    throw new SettError("not-ready", "The proof volume has a log, and its key is gone.", { hint });
  if (pinned !== undefined)
    throw new SettError("not-ready", "The proof volume has not the key that `proof.key` pins.", {
      hint,
    });
}

/** Throws `not-ready` where the volume has no key yet. */
export async function proofKey(files: SealedFiles, instance: InstanceName): Promise<string> {
  return verifierKeyText(await knownKey(files, instance));
}

/** A note with the public key of attestations. Throws `not-ready` where there is none yet. */
export async function attestationKey(files: SealedFiles, instance: InstanceName): Promise<string> {
  const key = await knownKey(files, instance);
  return signNote(attestationKeyText(await attestationPem(files, instance)), key);
}

/**
 * `order`: JSON. It asks for the head, a line of JSON with the checkpoint and how far it goes; for
 * a goal: the head, a line for each entry, and one with the note about the goal; or for a part of
 * the log, without a head: a line for each entry, or for each record. The caller asks for parts
 * until it has all. Of attestations there is a line for each. Throws `usage`, and `not-ready` where
 * nothing is sealed.
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
  if ("attest" in wanted) return yield* attestLines(files, instance, { ...wanted.attest, size });
  if ("anchors" in wanted) return yield* anchorLines(files, key, { ...wanted.anchors, size });
  if ("consistency" in wanted) {
    const { checkpoint: note, from } = wanted.consistency;
    const sealed = await sealedAt(files, key, { checkpoint: note, size });
    return yield JSON.stringify({ path: hashesText(await sealed.consistency(from)) });
  }
  const sealed = await SealedLog.open(files, key, { size, isWriter: false });
  const lastPlace = sealed.lastPlace;
  const keys = {
    key: verifierKeyText(key),
    attestation_key: await attestationKey(files, instance),
  };
  const is_anchored = (await files.sizesOfAnchors("sealed")).length > 0;
  yield JSON.stringify({ checkpoint, size, last_place: lastPlace, ...keys, is_anchored });
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
  const sealed = await sealedAt(files, key, part);
  let [lines, characters] = [0, 0];
  for await (const { entry, record } of sealed.all(part.from)) {
    const text = JSON.stringify(part.of === "entries" ? { entry } : { record });
    yield text;
    lines++;
    characters += text.length;
    if (lines >= maxLines || characters > maxCharacters) return;
  }
}

/** Throws `not-ready` where the checkpoint is none of this log. `size`: of the whole log. */
async function sealedAt(
  files: SealedFiles,
  key: SignerKey,
  of: { checkpoint: string; size: number },
): Promise<SealedLog> {
  const size = sizeSigned(of.checkpoint, key);
  if (size !== undefined && size <= of.size)
    return await SealedLog.open(files, key, { size, isWriter: false });
  throw new SettError("not-ready", "The notary does not know this checkpoint.", {
    hint: "Run the command again.",
  });
}

/** The notary signs nothing that the sealed log does not say. */
async function* attestLines(
  files: SealedFiles,
  instance: InstanceName,
  order: { checkpoint: string; size: number; files: Record<string, string> },
): AsyncGenerator<string> {
  const key = await knownKey(files, instance);
  const pem = await attestationPem(files, instance);
  const sealed = await sealedAt(files, key, order);
  const content = new Map(
    Object.entries(order.files).map(([name, base64]) => [name, contentOf(base64)]),
  );
  const provenance = new Provenance();
  const goals = new Set<string>();
  for (const [name, file] of content) {
    const id = idOfArtefact(name);
    const goal = id === undefined ? undefined : resultIn(await file.whole())?.goal;
    if (id === undefined || goal === undefined) continue;
    if (!goals.has(goal)) await noteGoal(sealed, goal, provenance);
    goals.add(goal);
    const { statement } = await provenance.statementOf(id, content, key.name);
    if (statement === undefined) continue;
    const text = `attestations/${hash("sha256", statement)}` as const;
    // Each signature of this kind of key is another one; the first is kept.
    if ((await files.readText(text)) === undefined)
      await files.createText(text, signAttestation(statement, pem));
    yield JSON.stringify({ id, attestation: await files.readText(text) });
  }
}

async function attestationPem(files: SealedFiles, instance: InstanceName): Promise<string> {
  const pem = await files.readText("attestation-key");
  if (pem === undefined) throw nothingSealed(instance);
  return pem;
}

function contentOf(base64: string) {
  const bytes = Buffer.from(base64, "base64");
  return { sha256: hash("sha256", bytes, "hex"), whole: async () => bytes };
}

async function noteGoal(sealed: SealedLog, goal: string, provenance: Provenance): Promise<void> {
  for await (const { record } of sealed.entriesOf(goal)) {
    const read = readRecord(record);
    if (read !== undefined) provenance.note(read);
  }
}

/** A line of JSON for each anchor: the contents of the files that a bundle has of it. */
async function* anchorLines(
  files: SealedFiles,
  key: SignerKey,
  order: { checkpoint: string; first: number; last: number; size: number },
): AsyncGenerator<string> {
  const { checkpoint } = order;
  const sealed = await sealedAt(files, key, order);
  for (const { size, index, ...anchor } of await anchorsAround(files, sealed.size, order)) {
    const { entry, record } = await sealed.read(index);
    const proof = proofText({ index, path: await sealed.prove(index), checkpoint });
    const consistency = hashesText(await sealed.consistency(size));
    const own = { consistency, sealed: receiptText(proof, entry), record };
    yield JSON.stringify({ size, ...anchor, ...own });
  }
}

/** From the last ones before the entries to the first ones behind them, of each kind. */
async function anchorsAround(
  files: SealedFiles,
  logSize: number,
  { first, last }: { first: number; last: number },
): Promise<SealedAnchor[]> {
  const all: SealedAnchor[] = [];
  for (const size of await files.sizesOfAnchors("sealed")) {
    const anchor = await sealedAnchor(files, size);
    if (anchor !== undefined && anchor.index < logSize) all.push(anchor);
  }
  const ends = (["tsr", "cosigned"] as const).map((kind) => {
    const ofKind = all.filter((anchor) => anchor[kind] !== undefined);
    const before = ofKind.findLast(({ index }) => index < first) ?? ofKind[0];
    const behind = ofKind.find(({ size }) => size > last) ?? ofKind.at(-1);
    return [before?.size ?? logSize, behind?.size ?? 0];
  });
  const from = Math.min(...ends.map(([size = 0]) => size));
  const to = Math.max(...ends.map(([, size = 0]) => size));
  return all.filter(({ size }) => from <= size && size <= to);
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

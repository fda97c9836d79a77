// `orchestrator --export-proof` and `--proof-key`: for the command line, which has no access to the
// volume with the key and the log.
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { z } from "zod";
import { SettError } from "../../../lib/model/errors.ts";
import { GoalId, type InstanceName } from "../../../lib/model/ids.ts";
import {
  attestationKeyText,
  isSignedBy,
  newAttestationKey,
  readAttestation,
  readAttestationKey,
  signAttestation,
} from "../../../lib/proof/attestation.ts";
import {
  formerLogIn,
  goalNoteText,
  hashesText,
  jsonObject,
  proofText,
  readRecord,
} from "../../../lib/proof/formats.ts";
import { idOfArtefact } from "../../../lib/proof/named-content.ts";
import { newPrivateKey, readNote, signNote, verifierKeyText } from "../../../lib/proof/note.ts";
import { Provenance, resultIn } from "../../../lib/proof/provenance.ts";
import { receiptText } from "../../../lib/proof/receipt.ts";
import { orderIn } from "../../../lib/service/order-in.ts";
import { type SealedAnchor, sealedAnchor } from "./anchors.ts";
import { nothingSealed, type OwnKeys, ownKeys } from "./own-keys.ts";
import type { SealedFiles } from "./sealed-files.ts";
import { SealedLog } from "./sealed-log.ts";

/**
 * `part`: of the whole log under this checkpoint, from this index on. `anchors`: what others have
 * seen, as far as it says when the entries from `first` to `last` were there. `consistency`: of the
 * first `from` entries with those of the checkpoint. `attest`: the results among these files, by
 * the log up to this checkpoint. They are those of a bundle, in base64. `key`: the note with the
 * key of attestations that the caller has.
 */
const Order = z.union([
  z.strictObject({ head: z.literal(true) }),
  z.strictObject({ goal: GoalId }),
  z.strictObject({
    attest: z.strictObject({
      checkpoint: z.string(),
      key: z.string().optional(),
      files: z.record(z.string(), z.base64()),
    }),
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
 * public key that it must be, or that has named it. Throws `not-ready` where it is another one, or
 * is gone.
 */
export async function openKey(
  files: SealedFiles,
  instance: InstanceName,
  pinned?: string,
): Promise<OwnKeys> {
  if ((await files.readText("key")) === undefined) await requireNewVolume(files, pinned);
  const makers = { key: newPrivateKey, "attestation-key": newAttestationKey } as const;
  for (const name of ["key", "attestation-key"] as const)
    if ((await files.readText(name)) === undefined) await files.createText(name, makers[name]());
  for (const name of ["key", "attestation-key"] as const)
    if (await files.isOpenToOthers(name))
      throw new SettError("not-ready", `Others can read ${files.folder}/${name}, a private key.`, {
        hint: `Who has read it? \`chmod 600\` closes it; then \`sett audit rotate-key\` lets another key take its place.`,
      });
  const keys = await ownKeys(files, instance);
  if (pinned === undefined || keys.all.includes(pinned)) return keys;
  const own = verifierKeyText(keys.signer);
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
  return verifierKeyText((await ownKeys(files, instance)).signer);
}

/** A note with the public key of attestations. Throws `not-ready` where there is none yet. */
export async function attestationKey(files: SealedFiles, instance: InstanceName): Promise<string> {
  const { signer } = await ownKeys(files, instance);
  return signNote(attestationKeyText(await attestationPem(files, instance)), signer);
}

/**
 * `order`: JSON. It asks for the head, a line of JSON with the checkpoint, how far it goes, and the
 * keys; for a goal: the head, a line for each entry, and one with the note about the goal; or for a
 * part of the log, without a head: a line for each entry, or for each record. The caller asks for
 * parts until it has all. Of attestations there is a line for each. Throws `usage`, and `not-ready`
 * where nothing is sealed.
 */
export async function* exportLines(
  files: SealedFiles,
  instance: InstanceName,
  order: string,
): AsyncGenerator<string> {
  const wanted = parsed(order);
  const keys = await ownKeys(files, instance);
  const checkpoint = await files.readText("checkpoint");
  if (checkpoint === undefined) throw nothingSealed(instance);
  const size = signedSize(checkpoint, keys);
  if ("part" in wanted) return yield* partLines(files, keys, { ...wanted.part, size });
  if ("attest" in wanted)
    return yield* attestLines({ files, instance, keys }, { ...wanted.attest, size });
  if ("anchors" in wanted) return yield* anchorLines(files, keys, { ...wanted.anchors, size });
  if ("consistency" in wanted) {
    const { checkpoint: note, from } = wanted.consistency;
    const sealed = await sealedAt(files, keys, { checkpoint: note, size });
    return yield JSON.stringify({ path: hashesText(await sealed.consistency(from)) });
  }
  const sealed = await SealedLog.open(files, keys, { size, isWriter: false });
  yield JSON.stringify({
    ...{ checkpoint, size, last_place: sealed.lastPlace },
    key: verifierKeyText(keys.signer),
    all_keys: keys.all,
    attestation_key: await attestationKey(files, instance),
    is_anchored: (await files.sizesOfAnchors("sealed")).length > 0,
    rotations: await rotationsIn(files, keys, sealed),
  });
  if ("goal" in wanted) yield* goalLines(sealed, { goal: wanted.goal, checkpoint, keys });
}

async function* goalLines(
  sealed: SealedLog,
  { goal, checkpoint, keys }: { goal: GoalId; checkpoint: string; keys: OwnKeys },
): AsyncGenerator<string> {
  let entries = 0;
  const openClaims = new Set<unknown>();
  for await (const one of sealed.entriesOf(goal)) {
    entries++;
    noteClaim(one.record, openClaims);
    const path = await sealed.prove(one.index);
    yield JSON.stringify({ ...one, proof: proofText({ index: one.index, path, checkpoint }) });
  }
  const state = openClaims.size > 0 ? "open" : "closed";
  const [began] = sealed.size === 0 ? [] : [readRecord((await sealed.read(0)).record)];
  const after = began && formerLogIn(began);
  const text = goalNoteText({ goal, entries, size: sealed.size, state, ...(after && { after }) });
  yield JSON.stringify({ note: signNote(text, keys.signer) });
}

/**
 * Throws `not-ready` where the key that has signed it is no longer, or not yet, that of the file:
 * another one is just taking over.
 */
function signedSize(checkpoint: string, keys: OwnKeys): number {
  const { text, checkpoint: said } = keys.openCheckpoint(checkpoint) ?? {};
  if (text !== undefined && said !== undefined && keys.isOwn(checkpoint, text)) return said.size;
  throw new SettError("not-ready", "The notary is about to get another key.", {
    hint: "Run the command again.",
  });
}

/** The files of a bundle that show how each key took over, by rising size. */
async function rotationsIn(files: SealedFiles, keys: OwnKeys, log: SealedLog): Promise<object[]> {
  return await Promise.all(
    keys.rotations.map(async ({ size }) => {
      const then = await SealedLog.open(files, keys, { size, isWriter: false });
      const index = size - 1;
      const { entry, record } = await then.read(index);
      const path = await then.prove(index);
      const proof = proofText({ index, path, checkpoint: await then.sign() });
      const consistency = hashesText(await log.consistency(size));
      return { size, record, handover: receiptText(proof, entry), consistency };
    }),
  );
}

async function* partLines(
  files: SealedFiles,
  keys: OwnKeys,
  part: { of: "entries" | "records"; checkpoint: string; from: number; size: number },
): AsyncGenerator<string> {
  const sealed = await sealedAt(files, keys, part);
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
  keys: OwnKeys,
  of: { checkpoint: string; size: number },
): Promise<SealedLog> {
  const size = keys.sizeIn(of.checkpoint);
  if (size !== undefined && size <= of.size)
    return await SealedLog.open(files, keys, { size, isWriter: false });
  throw new SettError("not-ready", "The notary does not know this checkpoint.", {
    hint: "Run the command again.",
  });
}

/** The notary signs nothing that the sealed log does not say. */
async function* attestLines(
  { files, instance, keys }: { files: SealedFiles; instance: InstanceName; keys: OwnKeys },
  order: {
    checkpoint: string;
    key?: string | undefined;
    size: number;
    files: Record<string, string>;
  },
): AsyncGenerator<string> {
  const pem = await attestationPem(files, instance);
  const keyText = attestationKeyText(pem);
  if (order.key !== undefined && readNote(order.key)?.text !== keyText)
    throw new SettError("not-ready", "The notary has got another key meanwhile.", {
      hint: "Run the command again.",
    });
  const sealed = await sealedAt(files, keys, order);
  const content = new Map(
    Object.entries(order.files).map(([name, base64]) => [name, contentOf(base64)]),
  );
  const provenance = new Provenance();
  const goals = new Set<string>();
  for (const [path, file] of content) {
    const id = idOfArtefact(path);
    const goal = id === undefined ? undefined : resultIn(await file.whole())?.goal;
    if (id === undefined || goal === undefined) continue;
    if (!goals.has(goal)) await noteGoal(sealed, goal, provenance);
    goals.add(goal);
    const { statement } = await provenance.statementOf(id, content, keys.name);
    if (statement === undefined) continue;
    const name = `attestations/${hash("sha256", statement)}` as const;
    // Each signature of this kind of key is another one; the first is kept.
    const kept = await files.readText(name);
    if (kept === undefined) await files.createText(name, signAttestation(statement, pem));
    else if (!isAttestedBy(kept, keyText))
      await files.writeText(name, signAttestation(statement, pem));
    yield JSON.stringify({ id, attestation: await files.readText(name) });
  }
}

/** A key that another one has taken the place of attests nothing any more. */
function isAttestedBy(attestation: string, keyText: string): boolean {
  const [read, key] = [readAttestation(Buffer.from(attestation)), readAttestationKey(keyText)];
  return read !== undefined && key !== undefined && isSignedBy(read, key);
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
  keys: OwnKeys,
  order: { checkpoint: string; first: number; last: number; size: number },
): AsyncGenerator<string> {
  const { checkpoint } = order;
  const sealed = await sealedAt(files, keys, order);
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

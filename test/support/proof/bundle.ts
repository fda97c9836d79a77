// Bundles as `sett audit export` writes them, made in memory.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import {
  checkpointText,
  entryOf,
  entryText,
  goalNoteText,
  proofText,
  recordText,
} from "../../../lib/proof/formats.ts";
import {
  type Hash,
  inclusionProof,
  leafHash,
  nodeHash,
  rootOf,
} from "../../../lib/proof/merkle.ts";
import {
  newPrivateKey,
  readVerifierKey,
  signerKey,
  signNote,
  verifierKeyText,
} from "../../../lib/proof/note.ts";

export type Event = { place: string; type: string; event: string };

/** `log`: the name of a log whose first key was another one. */
export function newKey(name = "demo.sett.invalid", log?: string) {
  const nameOf = (sha256: string) => log ?? `${name}/${sha256.slice(0, 8)}`;
  const signer = signerKey(newPrivateKey(), nameOf);
  const verifier = readVerifierKey(verifierKeyText(signer));
  if (verifier === undefined) throw new Error("a key that cannot be read");
  return { signer, verifier };
}
export type Key = ReturnType<typeof newKey>;

export function nodeReader(leaves: readonly Hash[]) {
  return async (level: number, index: number): Promise<Hash> => {
    const fold = (hashes: readonly Hash[]): Hash => {
      const [left, right] = hashes;
      if (left === undefined) throw new Error("a node that is not there");
      if (right === undefined) return left;
      const half = hashes.length / 2;
      return nodeHash(fold(hashes.slice(0, half)), fold(hashes.slice(half)));
    };
    return fold(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level));
  };
}

/** The records and entries of a log. */
export function sealedBy(events: readonly Event[]) {
  const numbers = new Map<string, number>();
  return events.map((event, index) => {
    const salt = createHash("sha256").update(`${index}`).digest("hex").slice(0, 32);
    const record = recordText({ salt, ...event });
    const said = entryOf({ salt, ...event }, record);
    const number = (numbers.get(said.goal) ?? 0) + 1;
    numbers.set(said.goal, number);
    return { index, goal: said.goal, record, entry: entryText({ ...said, number }) };
  });
}

/** `content`: the artefacts and facts, by their files. Without a goal it is about all. */
export async function makeBundle(
  { signer }: Key,
  events: readonly Event[],
  { goal, content = {} }: { goal?: string; content?: Record<string, string> } = {},
): Promise<Map<string, Uint8Array>> {
  const log = sealedBy(events);
  const read = nodeReader(log.map(({ entry }) => leafHash(entry)));
  const size = log.length;
  const root = await rootOf(size, read);
  const checkpoint = signNote(checkpointText({ origin: signer.name, size, root }), signer);
  const wanted = log.filter((one) => goal === undefined || one.goal === goal);
  const files: Record<string, string> = {
    README: "A bundle.\n",
    checkpoint,
    entries: wanted.map(({ index, entry }) => `${index} ${entry}`).join(""),
    "records.jsonl": wanted.map(({ record }) => `${record}\n`).join(""),
    keys: `${verifierKeyText(signer)}\n`,
    ...content,
  };
  if (goal !== undefined) {
    const about = { goal, entries: wanted.length, size, state: "closed" } as const;
    files.goal = signNote(goalNoteText(about), signer);
    for (const { index } of wanted) {
      const path = await inclusionProof(index, size, read);
      files[`proofs/${index}.tlog-proof`] = proofText({ index, path, checkpoint });
    }
  }
  return new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]));
}

/** A log of two goals with content, of 11 entries; `goal` has those with an even index. */
export const goal = "11111111-1111-4111-8111-111111111111";
export const otherGoal = "22222222-2222-4222-8222-222222222222";
export const artefact = "33333333-3333-4333-8333-333333333333";
const artefactRecord = '{"salt":"00","id":"…"}';
const policy = '{"review_rounds":3}';

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export const factFile = `facts/${sha256(policy)}`;
export const artefactFile = `artefacts/${artefact}.json`;
export const content = { [artefactFile]: artefactRecord, [factFile]: policy };

export const sampleEvents: readonly Event[] = Array.from({ length: 11 }, (_, index) => {
  const about = index % 2 === 0 ? goal : otherGoal;
  const place = `1795230000000-${index}`;
  if (index === 0) {
    const data = { sha256: sha256(artefactRecord) };
    const event = { actor: "person:Ada", goal_id: about, artefact_id: artefact, data };
    return { place, type: "artefact_created", event: JSON.stringify(event) };
  }
  const data = index === 2 ? { policy: sha256(policy) } : { word: `bid ${index}` };
  const event = { actor: "orchestrator:1", goal_id: about, data };
  return { place, type: index === 2 ? "claim_opened" : "bid_placed", event: JSON.stringify(event) };
}).concat({ place: "-", type: "notary_lost", event: '{"first":3,"last":3}' });

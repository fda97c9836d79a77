// Bundles of a log whose key was exchanged twice, with what was seen of it under the first key, and
// damages of them.
import { Buffer } from "node:buffer";
import { checkpointText, hashesText, proofText } from "../../../lib/proof/formats.ts";
import { consistencyProof, inclusionProof, leafHash, rootOf } from "../../../lib/proof/merkle.ts";
import { type SignerKey, signNote, verifierKeyText } from "../../../lib/proof/note.ts";
import { receiptText } from "../../../lib/proof/receipt.ts";
import {
  content,
  type Event,
  goal,
  type Key,
  makeBundle,
  newKey,
  nodeReader,
  sampleEvents,
  sealedBy,
} from "./bundle.ts";
import { changesBelow, type Files } from "./damages.ts";

export const first = newKey();
const { name } = first.signer;
const named = () => newKey(undefined, name);
export const [second, third, thief] = [named(), named(), named()];

const exchange = (from: Key, to: Key, more = {}): Event => ({
  ...{ place: "-", type: "notary_key" },
  event: JSON.stringify({
    from: verifierKeyText(from.verifier),
    to: verifierKeyText(to.verifier),
    ...more,
  }),
});

/** The sizes of the log at which a key took over from the one before. */
export const [firstSize, secondSize] = [7, 10] as const;
/** Others have seen so many entries, under the first key. */
const seenSize = 4;

function eventsWith(one: Event, other: Event): Event[] {
  const events = [...sampleEvents];
  events.splice(firstSize - 1, 0, one);
  events.splice(secondSize - 1, 0, other);
  return events;
}

type Made = { files: Files; receipts: string[] };
type Kind = {
  of?: string;
  events?: readonly Event[];
  /** Who signs the checkpoint of the bundle, and those at which a key takes over. */
  last?: Key;
  handovers?: readonly (readonly SignerKey[])[];
};

/** `receipts`: of the third entry, under each of the three keys. */
export async function rotatedBundle({
  of,
  last = third,
  events = eventsWith(exchange(first, second), exchange(second, third)),
  handovers = [
    [first.signer, second.signer],
    [second.signer, third.signer],
  ],
}: Kind = {}): Promise<Made> {
  const files: Files = new Map(
    await makeBundle(last, events, { content, ...(of !== undefined && { goal: of }) }),
  );
  const log = sealedBy(events);
  const leaves = log.map(({ entry }) => leafHash(entry));
  const read = nodeReader(leaves);
  const noteOf = async (size: number, signers: readonly SignerKey[]) => {
    const root = await rootOf(size, nodeReader(leaves.slice(0, size)));
    return signNote(checkpointText({ origin: name, size, root }), ...signers);
  };
  const shown = async (index: number, size: number, signers: readonly SignerKey[]) => {
    const path = await inclusionProof(index, size, nodeReader(leaves.slice(0, size)));
    const proof = proofText({ index, path, checkpoint: await noteOf(size, signers) });
    return receiptText(proof, log[index]?.entry ?? "");
  };
  const put = (path: string, text: string) => files.set(path, Buffer.from(text));
  const consistency = async (size: number) =>
    hashesText(await consistencyProof(size, log.length, read));
  for (const [at, size] of [firstSize, secondSize].entries()) {
    put(`rotations/${size}/record`, log[size - 1]?.record ?? "");
    put(`rotations/${size}/handover`, await shown(size - 1, size, handovers[at] ?? []));
    put(`rotations/${size}/consistency`, await consistency(size));
  }
  put(`anchors/${seenSize}/checkpoint`, await noteOf(seenSize, [first.signer]));
  put(`anchors/${seenSize}/consistency`, await consistency(seenSize));
  const receipts = await Promise.all([
    shown(2, 5, [first.signer]),
    shown(2, firstSize, handovers[0] ?? []),
    shown(2, 8, [second.signer]),
    shown(2, log.length, [third.signer]),
  ]);
  return { files, receipts };
}

type Change = (files: Files) => void;
export type RotationCase = { name: string; files: Files; problems: string[] };

const { edit, remove } = changesBelow("rotations");
const copy =
  (from: string, to: string): Change =>
  (files) =>
    files.set(`rotations/${to}`, files.get(`rotations/${from}`) ?? Buffer.alloc(0));
const folder = (size: number) =>
  ["record", "handover", "consistency"].map((one) => `${size}/${one}`);

/** No key that the verifier knows has signed the checkpoint. */
const unsigned = [
  ...["checkpoint", "consistency"].map((one) => `unknown-file anchors/${seenSize}/${one}`),
  "signature checkpoint",
];
const seen = `anchors/${seenSize}/checkpoint`;

const changes: [name: string, change: Change, problems: string[]][] = [
  ["nothing", () => {}, []],
  ["no consistency", remove("7/consistency"), ["key rotations/7/consistency"]],
  ["another consistency", copy("10/consistency", "7/consistency"), ["key rotations/7/consistency"]],
  ["another file in a folder", copy("7/record", "7/x"), ["unknown-file rotations/7/x"]],
  ["a folder of no size", copy("7/record", "07/record"), ["unknown-file rotations/07/record"]],
];
/** By the first key, nothing else follows: the others are known by this alone. */
const cuts: [name: string, change: Change, problem: string][] = [
  ["no record", remove("7/record"), "record"],
  ["a record of another exchange", copy("10/record", "7/record"), "handover"],
  ["a record that was changed", edit("7/record", /"salt":"./, '"salt":"f'), "handover"],
  ["a record of another type", edit("7/record", "notary_key", "notary_kex"), "record"],
  ["a record with a place", edit("7/record", '"place":"-"', '"place":"5-0"'), "record"],
  ["a record that is no UTF-8", edit("7/record", "notary", "notary\xff"), "record"],
  ["no handover", remove("7/handover"), "handover"],
  ["a handover without its entry", edit("7/handover", /extra .*\n/, ""), "handover"],
  ["a handover of another size", copy("10/handover", "7/handover"), "handover"],
  ["a handover by the old key alone", edit("7/handover", /\xe2\x80\x94.*\n$/, ""), "handover"],
  ["a handover by the new key alone", edit("7/handover", /\xe2\x80\x94.*\n/, ""), "handover"],
  ["a handover that leads nowhere", edit("7/handover", /^[^ ]{43}=\n/m, ""), "handover"],
  ["a handover with another index", edit("7/handover", "index 6", "index 5"), "handover"],
];

type Trusted = { name: string; key: Key };
export const trustedKeys: readonly Trusted[] = [
  { name: "by the first key", key: first },
  { name: "by the second key", key: second },
  { name: "by the third key", key: third },
];

async function caseOf(
  title: string,
  kind: Kind,
  change: Change,
  problems: readonly string[],
): Promise<RotationCase> {
  const { files } = await rotatedBundle(kind);
  change(files);
  return { name: title, files, problems: [...problems] };
}

/** The cases for a verifier who has this key. */
export async function rotationCases({ name: by, key }: Trusted): Promise<RotationCase[]> {
  const made: Promise<RotationCase>[] = [];
  for (const of of [goal, undefined]) {
    const kind: Kind = of === undefined ? {} : { of };
    const about = of === undefined ? "of all" : "of a goal";
    const add = (title: string, change: Change, problems: readonly string[], more: Kind = {}) =>
      made.push(caseOf(`${title}, ${about}, ${by}`, { ...kind, ...more }, change, problems));
    const lost = [...unsigned, ...(of === undefined ? [] : ["signature goal"])];
    const counted = of === undefined ? ["key rotations"] : [];
    for (const [title, change, problems] of changes) add(title, change, problems);
    // The third key has signed what the bundle says now, and nothing of before.
    const rest = key === third ? [`anchor ${seen}`] : lost;
    for (const [title, change, problem] of cuts)
      add(title, change, [...rest, `key rotations/7/${problem}`]);
    const isNotNamed = remove(...folder(7), ...folder(10));
    add("no folder of the second exchange", remove(...folder(10)), [...rest, ...counted]);
    add("a key exchanged without notary_key", isNotNamed, [...lost, ...counted], { last: thief });
    // Who has this key knows of no other one, and a bundle of a goal has not all of the log.
    const old = { last: first };
    if (key === first) add("the old key goes on", isNotNamed, counted, old);
    add("the old key goes on, and is named as such", () => {}, lost, old);
    const handovers = [
      [first.signer, second.signer],
      [third.signer, thief.signer],
    ];
    const stolen = { last: thief, handovers };
    add("a key given on by another one", () => {}, [...lost, "key rotations/10/handover"], stolen);
  }
  return await Promise.all(made);
}

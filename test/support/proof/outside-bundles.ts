// Bundles with what authorities and witnesses have seen of the log, and damages of them.
import { Buffer } from "node:buffer";
import { generateKeyPairSync, hash, type KeyObject, sign } from "node:crypto";
import { checkpointText, hashesText, proofText } from "../../../lib/proof/formats.ts";
import { consistencyProof, inclusionProof, leafHash, rootOf } from "../../../lib/proof/merkle.ts";
import {
  cosigning,
  readVerifierKey,
  signNote,
  type VerifierKey,
  verifierKeyText,
} from "../../../lib/proof/note.ts";
import { receiptText } from "../../../lib/proof/receipt.ts";
import { Authority } from "./authority.ts";
import {
  content,
  type Event,
  goal,
  type Key,
  makeBundle,
  newKey,
  nodeReader,
  otherGoal,
  sampleEvents,
  sealedBy,
} from "./bundle.ts";
import { changesBelow, type Files, key, textIn } from "./damages.ts";

/** `text`: as a policy has it. `line`: its signature on the text of a checkpoint. */
export type Witness = {
  key: VerifierKey;
  text: string;
  line(text: string, at?: Date, by?: KeyObject): string;
};

export function newWitness(name: string): Witness {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url");
  const bytes = Buffer.concat([Buffer.of(cosigning), raw]);
  const id = hash("sha256", Buffer.concat([Buffer.from(`${name}\n`), bytes]), "buffer").subarray(
    0,
    4,
  );
  const text = `${name}+${id.toString("hex")}+${bytes.toString("base64")}`;
  const read = readVerifierKey(text, cosigning);
  if (read === undefined) throw new Error("a key that cannot be read");
  const line = (about: string, at = new Date("2026-11-30T10:00:00Z"), by = privateKey) => {
    const seconds = at.getTime() / 1_000;
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(seconds));
    const signed = sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${about}`), by);
    return `— ${name} ${Buffer.concat([id, time, signed]).toString("base64")}\n`;
  };
  return { key: read, text, line };
}

export const authority = new Authority();
export const [firstWitness, secondWitness] = [newWitness("one.example"), newWitness("two.example")];
export const policyText = `# Two of those who look.
log ${verifierKeyText(key.signer)}
witness one ${firstWitness.text} https://one.example/
witness two ${secondWitness.text}
group both all one two
quorum both
`;

const fileNames = ["checkpoint", "consistency", "tsr", "cosigned", "sealed", "record"];
/** After so many events each, what is there is shown to others. */
const sizes = [6, 13] as const;

type Made = { checkpoint: string; tsr: Buffer; cosigned: string };

function made(text: string, { signer }: Key): Made {
  const checkpoint = signNote(text, signer);
  const cosigned = `${checkpoint}${firstWitness.line(text)}${secondWitness.line(text)}`;
  return { checkpoint, tsr: authority.stampOn(checkpoint), cosigned };
}

/** A log of 15 entries, of which the first 6 and the first 13 were seen. */
export async function outsideBundle(
  of: string | undefined,
  by: Key = key,
  word = "bid 3",
): Promise<Files> {
  const events: Event[] = [];
  const seen = new Map<number, Made>();
  const sample = sampleEvents.map((one) => ({ ...one, event: one.event.replace("bid 3", word) }));
  for (const [size, more] of [
    [sizes[0], sample.slice(0, sizes[0])],
    [sizes[1], sample.slice(sizes[0])],
  ] as const) {
    events.push(...more);
    const leaves = sealedBy(events).map(({ entry }) => leafHash(entry));
    const root = await rootOf(size, nodeReader(leaves));
    const one = made(checkpointText({ origin: by.signer.name, size, root }), by);
    seen.set(size, one);
    const digests = { tsr: hash("sha256", one.tsr), cosigned: hash("sha256", one.cosigned) };
    const event = JSON.stringify({ size, at: "2026-11-30T10:00:00.000Z", ...digests });
    events.push({ place: "-", type: "notary_anchored", event });
  }
  const last = { goal_id: otherGoal, data: {} };
  events.push({ place: "1795230000000-50", type: "bid_placed", event: JSON.stringify(last) });
  const files: Files = new Map(
    await makeBundle(by, events, { content, ...(of !== undefined && { goal: of }) }),
  );
  const log = sealedBy(events);
  const read = nodeReader(log.map(({ entry }) => leafHash(entry)));
  const checkpoint = Buffer.from(files.get("checkpoint") ?? []).toString();
  for (const [size, one] of seen) {
    const put = (name: string, bytes: string | Buffer) =>
      files.set(`anchors/${size}/${name}`, Buffer.from(bytes as string));
    put("checkpoint", one.checkpoint);
    put("tsr", one.tsr);
    put("cosigned", one.cosigned);
    put("consistency", hashesText(await consistencyProof(size, log.length, read)));
    const path = await inclusionProof(size, log.length, read);
    const proof = proofText({ index: size, path, checkpoint });
    put("sealed", receiptText(proof, log[size]?.entry ?? ""));
    put("record", log[size]?.record ?? "");
  }
  return files;
}

export const seenOfGoal = await outsideBundle(goal);
export const seenOfAll = await outsideBundle(undefined);

type Change = (files: Files) => void;
/** `problems`: as codes and places. */
export type OutsideCase = { name: string; files: Files; problems: string[] };

const put =
  (name: string, content: string | Buffer): Change =>
  (files) =>
    files.set(`anchors/${name}`, Buffer.from(content as string));
const { edit, remove } = changesBelow("anchors");
/** Another one in its place, which the notary has not sealed. */
const unsealed =
  (size: number, change: Change): Change =>
  (files) => {
    remove(`${size}/sealed`, `${size}/record`)(files);
    change(files);
  };
const move =
  (from: string, to: string): Change =>
  (files) => {
    files.set(`anchors/${to}`, files.get(`anchors/${from}`) ?? Buffer.alloc(0));
    remove(from)(files);
  };
const copy =
  (from: string, to: string): Change =>
  (files) =>
    files.set(`anchors/${to}`, files.get(`anchors/${from}`) ?? Buffer.alloc(0));
const both =
  (...changes: Change[]): Change =>
  (files) => {
    for (const change of changes) change(files);
  };

const noteOf = (size: number) => textIn(seenOfGoal, `anchors/${size}/checkpoint`);
const textOf = (size: number) => `${utf8(noteOf(size)).split("\n\n")[0]}\n`;
function utf8(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString();
}
const stampedBy = (kind: ConstructorParameters<typeof Authority>[0]) => {
  using other = new Authority(kind);
  return other.stampOn(utf8(noteOf(6)));
};
const cosignedBy = (...lines: string[]) => `${utf8(noteOf(6))}${lines.join("")}`;
const expired = { validity: { from: "20200101000000Z", to: "20210101000000Z" } };
const stranger = newWitness("three.example");
const byStranger = newKey();
/** It has the same sizes and key, and an event that is another one. */
const forked = await outsideBundle(goal, key, "bid 3 of a log that was written anew");

const cases: [name: string, change: Change, problems: string[]][] = [
  ["nothing", () => {}, []],
  ["nothing that is sealed", unsealed(6, remove("13/sealed", "13/record")), []],
  ["a time stamp of other data", both(copy("13/tsr", "6/tsr")), ["anchor 6/tsr", "tsa 6/tsr"]],
  ["a time stamp of another root", unsealed(6, put("6/tsr", stampedBy({}))), ["tsa 6/tsr"]],
  [
    "a time stamp of an expired signer",
    unsealed(6, put("6/tsr", authority.stampOnBy(utf8(noteOf(6)), expired.validity))),
    ["tsa 6/tsr"],
  ],
  ["a time stamp of nothing", unsealed(6, put("6/tsr", "")), ["tsa 6/tsr"]],
  ["a time stamp with something behind it", unsealed(6, edit("6/tsr", /$/, "x")), ["tsa 6/tsr"]],
  ["a time stamp that is refused", unsealed(6, put("6/tsr", refused())), ["tsa 6/tsr"]],
  ["a time stamp that was changed", edit("6/tsr", "Clock", "Clack"), ["anchor 6/tsr", "tsa 6/tsr"]],
  ["a time stamp removed", remove("6/tsr"), ["anchor 6/tsr"]],
  [
    "a signature of a witness that is wrong",
    unsealed(6, put("6/cosigned", cosignedBy(firstWitness.line(textOf(13))))),
    ["witness 6/cosigned"],
  ],
  [
    "a time of a witness that was changed",
    unsealed(6, put("6/cosigned", cosignedBy(changed(firstWitness.line(textOf(6)), later)))),
    ["witness 6/cosigned"],
  ],
  [
    "a signature of a witness that is too short",
    unsealed(
      6,
      put(
        "6/cosigned",
        cosignedBy(changed(firstWitness.line(textOf(6)), (bytes) => bytes.subarray(0, -8))),
      ),
    ),
    ["witness 6/cosigned"],
  ],
  [
    "one of two witnesses",
    unsealed(6, put("6/cosigned", cosignedBy(firstWitness.line(textOf(6))))),
    [],
  ],
  [
    "a witness that is not known",
    unsealed(6, put("6/cosigned", cosignedBy(stranger.line(textOf(6))))),
    [],
  ],
  ["no witness at all", unsealed(6, put("6/cosigned", utf8(noteOf(6)))), []],
  [
    "a note of an older size",
    copy("6/cosigned", "13/cosigned"),
    ["anchor 13/cosigned", "witness 13/cosigned"],
  ],
  ["a note of nothing", unsealed(6, put("6/cosigned", "x")), ["witness 6/cosigned"]],
  ["a note removed", remove("6/cosigned"), ["anchor 6/cosigned"]],
  ["a checkpoint of another size", copy("13/checkpoint", "6/checkpoint"), ["anchor 6/checkpoint"]],
  [
    "a checkpoint of another key",
    put("6/checkpoint", signNote(textOf(6), byStranger.signer)),
    ["anchor 6/checkpoint"],
  ],
  ["a checkpoint removed", remove("6/checkpoint"), ["anchor 6/checkpoint"]],
  [
    "two checkpoints that are no beginning of each other",
    both(...fileNames.map((name) => put(`6/${name}`, fileIn(forked, `anchors/6/${name}`)))),
    ["anchor 6/consistency"],
  ],
  ["a proof of consistency removed", remove("6/consistency"), ["anchor 6/consistency"]],
  [
    "a proof of consistency with a hash less",
    edit("6/consistency", /^.*\n/, ""),
    ["anchor 6/consistency"],
  ],
  [
    "a proof of consistency with a hash more",
    edit("6/consistency", /^.*\n/, "$&$&"),
    ["anchor 6/consistency"],
  ],
  [
    "a proof of consistency without a line feed",
    edit("6/consistency", /\n$/, ""),
    ["anchor 6/consistency"],
  ],
  [
    "a folder of another size",
    both(...fileNames.map((name) => move(`6/${name}`, `7/${name}`))),
    ["anchor 7/checkpoint"],
  ],
  ["a folder of a size beyond the log", put("16/checkpoint", noteOf(6)), ["anchor 16/checkpoint"]],
  ["a folder of no size", put("06/checkpoint", "x"), ["unknown-file 06/checkpoint"]],
  ["a folder of size 0", put("0/checkpoint", "x"), ["anchor 0/checkpoint"]],
  ["another file in a folder", put("6/x", "x"), ["unknown-file 6/x"]],
  ["a file beside the folders", put("x", "x"), ["unknown-file x"]],
  [
    "a seal of another size",
    both(copy("13/sealed", "6/sealed"), copy("13/record", "6/record")),
    ["anchor 6/sealed"],
  ],
  ["a seal of another entry", copy("13/sealed", "6/sealed"), ["anchor 6/sealed"]],
  [
    "a seal under another checkpoint",
    edit("6/sealed", / [^ ]+\n$/, " AAAAAAAAAAA=\n"),
    ["anchor 6/sealed"],
  ],
  ["a seal that leads nowhere", edit("6/sealed", /^[^ ]{43}=\n/m, ""), ["anchor 6/sealed"]],
  ["a seal without its record", remove("6/record"), ["anchor 6/sealed"]],
  ["a record without its seal", remove("6/sealed"), ["anchor 6/sealed"]],
  ["a record that was changed", edit("6/record", "tsr", "tsx"), ["anchor 6/sealed"]],
];

export const outsideCases: readonly OutsideCase[] = [
  ...cases.map(([name, change, problems]) =>
    caseOf(`${name}, of a goal`, seenOfGoal, change, problems),
  ),
  ...cases.map(([name, change, problems]) =>
    caseOf(`${name}, of all`, seenOfAll, change, problems),
  ),
];

function caseOf(
  name: string,
  base: Files,
  change: Change,
  problems: readonly string[],
): OutsideCase {
  const files: Files = new Map(base);
  change(files);
  return { name, files, problems: problems.map((problem) => problem.replace(" ", " anchors/")) };
}

function fileIn(files: Files, name: string): Buffer {
  return Buffer.from(files.get(name) ?? []);
}

/** Status 2, with a text. */
function refused(): Buffer {
  return Buffer.from("300b3009020102300" + "40c026e6f", "hex");
}

/** A signature line with other bytes. */
function changed(line: string, change: (bytes: Buffer) => Buffer): string {
  const [dash, name, base64 = ""] = line.trim().split(" ");
  return `${dash} ${name} ${change(Buffer.from(base64, "base64")).toString("base64")}\n`;
}

/** Behind the id of the key is the time, in 8 bytes. */
function later(bytes: Buffer): Buffer {
  bytes.writeUInt8((bytes.readUInt8(11) + 1) % 256, 11);
  return bytes;
}

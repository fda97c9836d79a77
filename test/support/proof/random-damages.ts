// Bundles with random changes: the same seed gives the same ones, but for the key.
import { Buffer } from "node:buffer";
import { signNote } from "../../../lib/proof/note.ts";
import { pack } from "./archive.ts";
import { attestedBundle } from "./attested-bundles.ts";
import { goal } from "./bundle.ts";
import { type Damage, type Files, key, ofAll, ofGoal, textIn } from "./damages.ts";
import { erasureBundle, erasures } from "./erasure-bundles.ts";
import { seenOfGoal } from "./outside-bundles.ts";
import { rotatedBundle } from "./rotation-bundles.ts";

type Pick = (below: number) => number;

const [, events = []] = erasures.find(([name]) => name === "an artefact that was erased") ?? [];
const bases = [
  ...[ofGoal, ofAll],
  await erasureBundle(events, undefined, key),
  await attestedBundle({}, key),
];

export function randomDamages(seed: number, count: number): Damage[] {
  const pick = picker(seed);
  return Array.from({ length: count }, (_, at) => {
    const files: Files = new Map(bases[pick(bases.length)]);
    const names: string[] = [];
    for (let more = 1 + pick(3); more > 0; more--) {
      const kind = pick(kinds.length);
      names.push(kinds[kind]?.(files, pick) ?? "");
    }
    const archive = pack(files);
    // Of ten archives, one has a byte that is another one.
    if (pick(10) === 0) flip(archive, pick);
    return { name: `${at}: ${names.join(", ")}`, archive };
  });
}

/** Changes of bytes below `anchors`, of which the notary has sealed none. */
export function randomOutside(seed: number, count: number): Damage[] {
  const pick = picker(seed);
  return Array.from({ length: count }, (_, at) => {
    const files: Files = new Map(seenOfGoal);
    for (const name of ["6/sealed", "6/record"]) files.delete(`anchors/${name}`);
    const names = [...files.keys()].filter((name) => name.startsWith("anchors/6/"));
    const name = pick(4) > 0 ? "anchors/6/tsr" : (names[pick(names.length)] ?? "");
    const bytes = Buffer.from(files.get(name) ?? []);
    flip(bytes, pick);
    files.set(name, bytes);
    return { name: `${at}: a byte of ${name}`, archive: pack(files) };
  });
}

/** Changes of bytes below `rotations`. */
export async function randomRotations(seed: number, count: number): Promise<Damage[]> {
  const pick = picker(seed);
  const { files: whole } = await rotatedBundle({ of: goal });
  const names = [...whole.keys()].filter((name) => name.startsWith("rotations/"));
  return Array.from({ length: count }, (_, at) => {
    const files: Files = new Map(whole);
    const name = names[pick(names.length)] ?? "";
    const bytes = Buffer.from(files.get(name) ?? []);
    flip(bytes, pick);
    files.set(name, bytes);
    return { name: `${at}: a byte of ${name}`, archive: pack(files) };
  });
}

/** Each says what it did. */
const kinds: ((files: Files, pick: Pick) => string)[] = [
  (files, pick) => {
    const name = nameIn(files, pick);
    const bytes = Buffer.from(files.get(name) ?? []);
    flip(bytes, pick);
    files.set(name, bytes);
    return `a byte of ${name}`;
  },
  (files, pick) => {
    const name = pick(2) === 0 ? "entries" : "records.jsonl";
    const lines = textIn(files, name).split(/(?<=\n)/);
    const [line = ""] = lines.splice(pick(lines.length), 1);
    const copies = pick(3);
    for (let copy = 0; copy < copies; copy++) lines.splice(pick(lines.length + 1), 0, line);
    files.set(name, Buffer.from(lines.join(""), "latin1"));
    return `${copies} of a line of ${name}`;
  },
  (files, pick) => {
    const name = nameIn(files, pick);
    files.delete(name);
    return `no ${name}`;
  },
  (files, pick) => {
    const [name, other] = [nameIn(files, pick), nameIn(files, pick)];
    const [bytes, others] = [
      Buffer.from(files.get(name) ?? []),
      Buffer.from(files.get(other) ?? []),
    ];
    files.set(name, others);
    files.set(other, bytes);
    return `${name} for ${other}`;
  },
  (files, pick) => {
    const name = nameIn(files, pick);
    const bytes = Buffer.from(files.get(name) ?? []);
    files.delete(name);
    const renamed = Buffer.from(name === "" ? "x" : name);
    renamed[pick(renamed.length)] = 0x61 + pick(26);
    files.set(renamed.toString(), bytes);
    return `${name} as ${renamed}`;
  },
  // A word for another, in a line of ASCII, and where it is a note, signed as it is then.
  (files, pick) => {
    const name = (["entries", "goal", "checkpoint"] as const)[pick(3)] ?? "entries";
    const [text = ""] = textIn(files, name).split("\n\n");
    const words = text.split(/(?<=[ \n])/);
    words[pick(words.length)] = words[pick(words.length)] ?? "";
    const changed = words.join("");
    const isNote = name !== "entries" && changed !== "";
    files.set(name, Buffer.from(isNote ? signNote(`${changed}\n`, key.signer) : changed));
    return `a word of ${name}`;
  },
];

function nameIn(files: Files, pick: Pick): string {
  return [...files.keys()][pick(files.size)] ?? "README";
}

function flip(bytes: Buffer, pick: Pick): void {
  if (bytes.length === 0) return;
  const at = pick(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << pick(8));
}

/** Numbers from 0 on, of a linear congruential generator. */
function picker(seed: number): Pick {
  let state = BigInt(seed);
  return (below) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number((state >> 33n) % BigInt(below));
  };
}

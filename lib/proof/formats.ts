// Writes and reads the parts of a sealed log (docs/reference/proof.md#the-sealed-log). Pure.
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { type Hash, hashBytes } from "./merkle.ts";

/** `place`, `type` and `event` as they stand in Redis; of the notary's own, `place` is `-`. */
export type SealedRecord = { salt: string; place: string; type: string; event: string };

/** `number`: how many entries of this goal there are up to this one. */
export type Entry = {
  place: string;
  type: string;
  goal: string;
  number: number;
  digest: string;
};

export type Checkpoint = { origin: string; size: number; root: Hash };
/** `after`: the log was begun anew. */
export type GoalNote = {
  goal: string;
  entries: number;
  size: number;
  state: "open" | "closed";
  after?: FormerLog;
};
/** A log that was lost, as far as it was known: its origin, and how many entries it had. */
export type FormerLog = { origin: string; size: number };
/** `checkpoint`: the text of the file, in which each character is a byte where it was read so. */
export type InclusionProof = { index: number; path: Hash[]; checkpoint: string };

/** Of entries that are about no goal. */
export const noGoal = "-";
/** Of records that the notary has written. */
export const ownPlace = "-";
/** The type of its records about events that Redis has lost. */
export const lostType = "notary_lost";
/** The type of its records about what others have seen of the log. */
export const anchoredType = "notary_anchored";
/** The type of its first record. */
export const beganType = "notary_began";
/** The type of its records by which another key takes the place of its own. */
export const keyType = "notary_key";

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const isUuid = new RegExp(`^${uuid}$`);
const count = "0|[1-9][0-9]{0,15}";
const entryPattern = new RegExp(
  `^sett/1 ((?:0|[1-9]\\d*)-(?:0|[1-9]\\d*)|-) ([a-z_]{1,64}) (${uuid}|-) ([1-9][0-9]{0,15}) ([0-9a-f]{64})\\n$`,
);
const goalPattern = new RegExp(
  `^sett/1 goal (${uuid}) events (${count}) log (${count}) state (open|closed)(?: after ([!-~]+) (${count}))?\\n$`,
);
const proofHead = "c2sp.org/tlog-proof@v1";

export function recordText({ salt, place, type, event }: SealedRecord): string {
  return JSON.stringify({ salt, place, type, event: event.toWellFormed() });
}

/** Undefined where it is not written as `recordText` writes it. */
export function readRecord(text: string): SealedRecord | undefined {
  const { salt, place, type, event } = jsonObject(text) ?? {};
  if (typeof salt !== "string" || typeof place !== "string") return undefined;
  if (typeof type !== "string" || typeof event !== "string") return undefined;
  const isForm = /^[0-9a-f]{32}$/.test(salt) && place.isWellFormed() && type.isWellFormed();
  const record = { salt, place, type, event };
  return isForm && recordText(record) === text ? record : undefined;
}

/** Half a character is written as no other program reads it. Empty for what is no text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed() : "";
}

/** The goal that an event is about, or `-`. */
export function goalOf(event: string, body = jsonObject(event)): string {
  const goal = body?.goal_id;
  return typeof goal === "string" && isUuid.test(goal) ? goal : noGoal;
}

/** An entry says this of its record. */
export function entryOf(record: SealedRecord, text: string): Omit<Entry, "number"> {
  const digest = hash("sha256", text, "hex");
  return { place: record.place, type: typeOf(record.type), goal: goalOf(record.event), digest };
}

/** The type of an entry whose record has this one. */
export function typeOf(type: string): string {
  return /^[a-z_]{1,64}$/.test(type) ? type : "unreadable";
}

export function entryText({ place, type, goal, number, digest }: Entry): string {
  return `sett/1 ${place} ${type} ${goal} ${number} ${digest}\n`;
}

export function readEntry(text: string): Entry | undefined {
  const [, place, type, goal, number, digest] = entryPattern.exec(text) ?? [];
  if (place === undefined || type === undefined || goal === undefined) return undefined;
  if (digest === undefined || !Number.isSafeInteger(Number(number))) return undefined;
  return { place, type, goal, number: Number(number), digest };
}

export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString("base64")}\n`;
}

export function readCheckpoint(text: string): Checkpoint | undefined {
  const [origin = "", size = "", base64 = "", ...rest] = text.split("\n");
  const root = hashOfText(base64);
  if (origin === "" || root === undefined || rest.join("\n") !== "") return undefined;
  const read = readCount(size);
  return read === undefined ? undefined : { origin, size: read, root };
}

export function goalNoteText({ goal, entries, size, state, after }: GoalNote): string {
  const end = after === undefined ? "" : ` after ${after.origin} ${after.size}`;
  return `sett/1 goal ${goal} events ${entries} log ${size} state ${state}${end}\n`;
}

export function readGoalNote(text: string): GoalNote | undefined {
  const [, goal = "", entries = "", size = "", state, origin, lost = "0"] =
    goalPattern.exec(text) ?? [];
  const [ofGoal, ofLog, ofLost] = [entries, size, lost].map(readCount);
  if (ofGoal === undefined || ofLog === undefined || ofLost === undefined) return undefined;
  const after = origin === undefined ? {} : { after: { origin, size: ofLost } };
  const about = { goal, entries: ofGoal, size: ofLog };
  return { ...about, state: state === "open" ? "open" : "closed", ...after };
}

/** By the first record of a log. */
export function formerLogIn({ place, type, event }: SealedRecord): FormerLog | undefined {
  const { after } = (place === ownPlace && type === beganType && jsonObject(event)) || {};
  const { origin, size }: Record<string, unknown> = Object(after);
  const isForm = typeof origin === "string" && /^[!-~]+$/.test(origin) && typeof size === "string";
  const count = isForm ? readCount(size) : undefined;
  return isForm && count !== undefined ? { origin, size: count } : undefined;
}

export function proofText({ index, path, checkpoint }: InclusionProof): string {
  return `${proofHead}\nindex ${index}\n${hashesText(path)}\n${checkpoint}`;
}

export function readProof(text: string): InclusionProof | undefined {
  const end = text.indexOf("\n\n");
  const [head, line = "", ...hashes] = text.slice(0, Math.max(end, 0)).split("\n");
  const index = readCount(/^index (.+)$/.exec(line)?.[1] ?? "");
  const path = hashes.map(hashOfText);
  if (head !== proofHead || index === undefined || path.includes(undefined)) return undefined;
  const known = path.filter((hash) => hash !== undefined);
  return { index, path: known, checkpoint: text.slice(end + 2) };
}

export function hashesText(path: readonly Hash[]): string {
  return path.map((hash) => `${Buffer.from(hash).toString("base64")}\n`).join("");
}

/** Undefined where it is missing, or a line is no hash. */
export function readHashes(text: string | undefined): Hash[] | undefined {
  if (text === undefined || (text !== "" && !text.endsWith("\n"))) return undefined;
  const path = text.split("\n").slice(0, -1).map(hashOfText);
  const known = path.filter((hash) => hash !== undefined);
  return known.length < path.length ? undefined : known;
}

const isCount = new RegExp(`^(?:${count})$`);

/** A decimal number without zeros before it, which a number of JavaScript holds. */
export function readCount(text: string): number | undefined {
  const read = Number(text);
  return isCount.test(text) && Number.isSafeInteger(read) ? read : undefined;
}

/** An object of JSON; undefined for all else. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
    return isObject ? (body as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function hashOfText(base64: string): Hash | undefined {
  const bytes = Buffer.from(base64, "base64");
  return bytes.length === hashBytes && bytes.toString("base64") === base64 ? bytes : undefined;
}

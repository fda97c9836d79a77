// The record of an artefact: the bytes whose SHA-256 the event of its creation names
// (docs/reference/proof.md). They are made of the fields as they stand in Redis, and of a salt, so
// that no digest lets a person guess a short text.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import {
  type ArtefactFieldName,
  type ArtefactFields,
  artefactFieldNames,
} from "./artefact-field-names.ts";

/** Beside the fields of an artefact: one that an earlier version has stored has none. */
export const saltField = "salt";

export type RecordSeal = { salt: string; sha256: string };

/** The seal of what is about to be stored. */
export function newSeal(fields: ArtefactFields): RecordSeal {
  const salt = newSalt();
  return { salt, sha256: digestOfRecord(recordOfFields(salt, fields)) };
}

/** The chance is that of the global, which the simulation replaces: node:crypto has its own. */
export function newSalt(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
}

export function digestOfRecord(record: string | Uint8Array): string {
  return createHash("sha256").update(record).digest("hex");
}

/** The same text as `recordOfBytes`, from fields that Redis has got, or will get, as UTF-8. */
export function recordOfFields(salt: string, fields: ArtefactFields): string {
  const members: Record<string, string> = { salt };
  for (const name of artefactFieldNames) members[name] = fields[name].toWellFormed();
  return JSON.stringify(members);
}

/** A payload need not be UTF-8: each byte that JSON does not escape is written as it is. */
export function recordOfBytes(
  salt: string,
  fields: Readonly<Record<ArtefactFieldName, Uint8Array>>,
): Buffer {
  const members: Record<string, string> = { salt };
  for (const name of artefactFieldNames)
    members[name] = Buffer.from(fields[name]).toString("latin1");
  return Buffer.from(JSON.stringify(members), "latin1");
}

/** Empty where the artefact has none. */
export function saltIn(record: Uint8Array): string {
  const begin = Buffer.from(record.subarray(0, 64)).toString("latin1");
  return /^\{"salt":"([0-9a-f]*)"/.exec(begin)?.[1] ?? "";
}

// Reads the record of an artefact by its bytes, as people's acts and attestations need it. Pure.
import { type Buffer, isUtf8 } from "node:buffer";
import { jsonObject } from "./formats.ts";
import type { PersonalRecord } from "./statement.ts";

/** The members of a record, in the order in which they are written. */
const recordMembers = [
  "salt",
  "id",
  "logical_id",
  "version",
  "structural_type",
  "type",
  "payload",
  "source_artefacts",
  "produced_by_role",
  "produced_by_agent",
  "created_at",
  "goal_id",
  "claim_id",
  "metadata",
];

/** Undefined where it is not written as docs/reference/proof.md#the-record-of-an-artefact says. */
export function readPersonalRecord(bytes: Buffer): PersonalRecord | undefined {
  const text = isUtf8(bytes) ? bytes.toString() : "";
  const body = jsonObject(text) ?? {};
  const isForm = JSON.stringify(body) === text && Object.keys(body).join() === recordMembers.join();
  const isText = (value: unknown) => typeof value === "string" && value.isWellFormed();
  if (!isForm || !Object.values(body).every(isText)) return undefined;
  const { metadata, source_artefacts, ...fields } = body as Record<string, string>;
  return {
    ...(fields as Omit<PersonalRecord, "metadata" | "source_artefacts">),
    metadata: jsonObject(metadata ?? "") ?? {},
    source_artefacts: firstTextIn(source_artefacts ?? ""),
  };
}

/** The others are not signed for. */
function firstTextIn(json: string): string[] {
  const [first] = listIn(json);
  return typeof first === "string" ? [first.toWellFormed()] : [];
}

function listIn(json: string): unknown[] {
  try {
    const list: unknown = JSON.parse(json);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

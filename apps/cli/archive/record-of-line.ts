// The record of an artefact in its line of an archive: the salt is enough where the artefact has
// all the rest.
import { Buffer } from "node:buffer";
import { fieldsOfArtefact } from "../../../lib/blackboard/records/artefact-fields.ts";
import { recordOfFields, saltIn } from "../../../lib/blackboard/records/artefact-record.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";

type RecordMembers = {
  salt?: string | undefined;
  record?: string | undefined;
  erased?: true | undefined;
};

/**
 * `record`: in base64, as the blackboard has it. What was written by hand may have spaces in its
 * JSON, or a payload that is no UTF-8: then the line has the bytes. Nothing for one without a salt.
 * The blackboard has none of one that was erased.
 */
export function recordMembers(artefact: Artefact, record: string | undefined): RecordMembers {
  if (record === undefined) return { erased: true };
  const bytes = Buffer.from(record, "base64");
  const salt = saltIn(bytes);
  if (salt === "") return {};
  const isMade = bytes.equals(Buffer.from(recordOfFields(salt, fieldsOfArtefact(artefact))));
  return isMade ? { salt } : { record };
}

/** It is in base64, as `recordMembers` got it; undefined where it was erased. */
export function recordOfLine({
  artefact,
  salt = "",
  record,
  erased,
}: RecordMembers & { artefact: Artefact }): string | undefined {
  if (erased) return undefined;
  if (record !== undefined) return record;
  return Buffer.from(recordOfFields(salt, fieldsOfArtefact(artefact))).toString("base64");
}

// What the walk through a context reads of an artefact of the memory blackboard.
import { Buffer } from "node:buffer";
import type { ArtefactId, LogicalId } from "../../model/ids.ts";
import { type ArtefactFields, artefactFieldNames } from "../records/artefact-fields.ts";

/** Undefined where the artefact is not complete. A person may have damaged it. */
export function contextNode(id: ArtefactId, fields: Partial<ArtefactFields>) {
  if (artefactFieldNames.some((name) => fields[name] === undefined)) return undefined;
  const { logical_id, type = "", source_artefacts = "", payload = "", metadata = "" } = fields;
  const sources = [...source_artefacts.matchAll(/"([^"]+)"/g)].map(
    ([, source]) => source as ArtefactId,
  );
  const bytes = Buffer.byteLength(payload) + Buffer.byteLength(metadata);
  return { id, logical_id: logical_id as LogicalId, type, source_artefacts: sources, bytes };
}

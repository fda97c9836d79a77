// Masks the values of secrets in a line of the cub's log, and keeps what readers of logs go by.
import { maskedJson } from "./mask-json.ts";
import type { Masker } from "./masker.ts";

/** Written by Sett alone, and read by programs. */
const ownFields = new Set([
  "time",
  "level",
  "msg",
  "service",
  "instance",
  "agent",
  "role",
  "claim_id",
  "goal_id",
  "stream",
  "artefact_id",
  "logical_id",
  "base_commit",
  "phase",
  "version",
  "type",
  "structural_type",
  "bid",
  "decided_by",
]);

export function maskedLine(line: string, masker: Masker): string {
  return maskedJson(line, masker, { isWord: (key) => ownFields.has(key) });
}

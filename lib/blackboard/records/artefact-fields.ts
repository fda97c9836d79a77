// An artefact as the flat hash of strings that it is on the blackboard: arrays and objects as JSON
// text, `version` in decimal.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { Artefact, type ArtefactHead, ArtefactMetadata } from "../../model/artefact.ts";
import { SettError } from "../../model/errors.ts";
import { AgentName } from "../../model/ids.ts";
import { parseJson } from "../../model/json.ts";
import type { DeliveredCommit } from "../port/artefacts.ts";
import { type ArtefactFields, artefactFieldNames } from "./artefact-field-names.ts";
import { brokenRule } from "./field-rules.ts";

export function fieldsOfArtefact(artefact: Artefact): ArtefactFields {
  return {
    ...artefact,
    version: String(artefact.version),
    source_artefacts: JSON.stringify(artefact.source_artefacts),
    metadata: JSON.stringify(artefact.metadata),
  };
}

/**
 * Bytes. prelude-artefact.lua keeps as many of a payload that is larger than 4 KiB in a field of
 * their own, `beginning`.
 */
export const beginningLength = 1000;

/**
 * Returns the beginning of a payload, or of its beginning, to show in place of the summary: empty
 * where there is one.
 */
export function beginningOf({ metadata }: Pick<ArtefactHead, "metadata">, payload: string): string {
  if ((metadata.summary ?? "").trim() !== "") return "";
  // It is cut between bytes: the rest of a character shows as U+FFFD.
  const beginning = Buffer.from(payload.slice(0, beginningLength)).subarray(0, beginningLength);
  return beginning.toString().replace(/\uFFFD$/, "");
}

/**
 * The digest of a content, by which a later overwrite is noticed. The Lua functions compute the
 * same.
 */
export function digestOfContent(fields: Partial<ArtefactFields>): string {
  const text = artefactFieldNames.map((name) => fields[name] ?? "").join("\0");
  return createHash("sha1").update(text).digest("hex");
}

/**
 * Undefined while a field is missing: it is not, or not yet, an artefact. Throws
 * `artefact-malformed`, naming the key, for one that cannot be read: a person has changed it by
 * hand, and a guess would falsify the record.
 */
export function artefactOfFields(
  fields: Partial<Record<string, string>>,
  key: string,
): Artefact | undefined {
  if (artefactFieldNames.some((name) => fields[name] === undefined)) return undefined;
  return soundArtefact(fields, fields.payload ?? "", key);
}

/** The same of a complete artefact's fields without its payload. */
export function headOfFields(fields: Partial<Record<string, string>>, key: string): ArtefactHead {
  const { payload: _, ...head } = soundArtefact(fields, "", key);
  return head;
}

function soundArtefact(
  fields: Partial<Record<string, string>>,
  payload: string,
  key: string,
): Artefact {
  const parsed = parseArtefact(fields, payload);
  if ("artefact" in parsed) return parsed.artefact;
  throw new SettError(
    "artefact-malformed",
    `The artefact at ${key} is malformed: ${parsed.problem}.`,
    {
      hint: `Read it with \`redis-cli HGETALL ${key}\` and correct its fields.`,
    },
  );
}

/**
 * The artefact, or what is wrong with its fields. The payload is an argument of its own: any
 * payload is right.
 */
export function parseArtefact(
  fields: Partial<Record<string, string>>,
  payload: string,
): { artefact: Artefact } | { problem: string } {
  const sources = parseJson(fields.source_artefacts);
  const metadata = parseJson(fields.metadata);
  if (sources === undefined) return { problem: brokenRule(["source_artefacts"]) };
  if (metadata === undefined) return { problem: brokenRule(["metadata"]) };
  const known: Record<string, unknown> = {};
  for (const name of artefactFieldNames) known[name] = fields[name];
  const parsed = Artefact.safeParse({
    ...known,
    payload,
    version: decimal(fields.version),
    source_artefacts: sources,
    metadata,
  });
  if (parsed.success) return { artefact: parsed.data };
  return { problem: brokenRule(parsed.error.issues[0]?.path ?? []) };
}

/** The fields that `deliveredCommit` needs. */
export const commitFieldNames = ["logical_id", "goal_id", "produced_by_agent", "metadata"] as const;

/**
 * The commit that the artefact has delivered, if any, with its agent; a damaged one has none. The
 * commit of a goal is where work starts, and is not delivered.
 */
export function deliveredCommit(
  fields: Partial<Record<string, string>>,
): Omit<DeliveredCommit, "artefact"> | undefined {
  if (fields.logical_id === fields.goal_id) return undefined;
  const commit = ArtefactMetadata.safeParse(parseJson(fields.metadata)).data?.commit;
  return commit && { commit, agent: AgentName.safeParse(fields.produced_by_agent).data ?? "" };
}

function decimal(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

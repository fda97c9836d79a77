// Judging an artefact that somebody wrote with plain Redis commands: is it complete, is it sound, and what must be filled in?
import { createHash } from "node:crypto";
import { type ArtefactHead, maxPayloadBytes } from "../model/artefact.ts";
import type { Claim, Grant } from "../model/claim.ts";
import { ArtefactId } from "../model/ids.ts";
import { type ArtefactFieldName, type ArtefactFields, artefactFieldNames, parseArtefact } from "./artefact-fields.ts";

/**
 * All fields but the payload, of which only the size matters; what is missing is the empty string. `illegible` are those whose bytes
 * are no UTF-8: what stands for them in `fields` is a likeness.
 */
export type HandWritten = {
  fields: Record<JudgedField, string>;
  illegible: readonly JudgedField[];
  payloadBytes: number | undefined;
};
export type JudgedField = Exclude<ArtefactFieldName, "payload">;

/** What is known of a source: its goal; `unadopted` when it too was written by hand and is not taken in yet. */
export type SourceState = { state: "known"; goal: string } | { state: "unadopted" | "missing" };

export type Judgement =
  /** It may still be on its way; `reason` is what it lacks. */
  | { verdict: "incomplete"; reason: string }
  | { verdict: "refused"; reason: string }
  | { verdict: "sound"; filled: Omit<ArtefactFields, "payload">; artefact: ArtefactHead };

export const judgedFields = artefactFieldNames.filter((name): name is JudgedField => name !== "payload");

const requiredFields: readonly JudgedField[] = [
  "id",
  "logical_id",
  "version",
  "structural_type",
  "type",
  "source_artefacts",
  "produced_by_role",
];

/** The ids in `source_artefacts`; none when it is not a JSON array of ids, which the judgement then says. */
export function sourcesOf({ fields }: HandWritten): ArtefactId[] {
  try {
    const parsed = ArtefactId.array().safeParse(JSON.parse(fields.source_artefacts));
    return parsed.success ? parsed.data : [];
  } catch {
    return [];
  }
}

/** `sources` in the order of `source_artefacts`; `createdAt` is used where the writer gave no time. */
export function judge(id: ArtefactId, written: HandWritten, sources: readonly SourceState[], createdAt: string): Judgement {
  const { fields, illegible, payloadBytes } = written;
  const absent = requiredFields.filter((name) => fields[name] === "");
  if (payloadBytes === undefined || absent.length > 0) {
    const all = payloadBytes === undefined ? [...absent, "payload"] : absent;
    return { verdict: "incomplete", reason: `${all.join(", ")}: is missing` };
  }
  if (fields.id !== id) return { verdict: "refused", reason: "id: is not the id in its key" };
  if (illegible.length > 0) return { verdict: "refused", reason: `${illegible.join(", ")}: is not UTF-8 text` };
  if (payloadBytes > maxPayloadBytes) return { verdict: "refused", reason: "payload: is larger than 16 MiB" };

  const first = sources[0];
  const goalId = fields.goal_id || (first?.state === "known" ? first.goal : id);
  const filled = {
    ...fields,
    created_at: fields.created_at || createdAt,
    goal_id: goalId,
    metadata: fields.metadata || "{}",
  };
  const parsed = parseArtefact(filled, "");
  if ("problem" in parsed) return { verdict: "refused", reason: parsed.problem };
  const missing = sources.findIndex((source) => source.state === "missing");
  if (missing >= 0) {
    return { verdict: "refused", reason: `source_artefacts: there is no artefact ${parsed.artefact.source_artefacts[missing]}` };
  }
  // A source written by hand in the same breath: it is taken in first.
  const unadopted = sources.findIndex((source) => source.state === "unadopted");
  if (unadopted >= 0) {
    const source = parsed.artefact.source_artefacts[unadopted];
    return { verdict: "incomplete", reason: `source_artefacts: ${source} was written by hand as well, and is not taken in` };
  }
  return { verdict: "sound", filled, artefact: parsed.artefact };
}

/** Why it cannot be what this grant ends with, if it cannot. `target`: the claim's. The script `adopt-artefact` says the same. */
export function resultProblem(
  artefact: ArtefactHead,
  claim: Claim,
  { phase }: Grant,
  target: Partial<ArtefactFields> = {},
): string | undefined {
  const { structural_type, goal_id, logical_id, type, version } = artefact;
  if (goal_id !== claim.goal_id)
    return `The claim is of goal ${claim.goal_id}: name its artefact ${claim.artefact_id} first in source_artefacts.`;
  if (structural_type === "Question" || structural_type === "Answer")
    return "A grant ends with a result, not with a Question or an Answer.";
  if (phase === "review" && structural_type !== "Review" && structural_type !== "Failure")
    return "A review ends with a Review, or with a Failure.";
  if (claim.kind !== "rework" || structural_type === "Failure") return undefined;
  const next = Number(target.version) + 1;
  const isNext = logical_id === target.logical_id && type === target.type && version === next;
  if (isNext && structural_type === "Standard") return undefined;
  return `A rework ends with a Failure, or with Standard version ${next} of thread ${target.logical_id}, of the type ${target.type}.`;
}

/** The grant that it ends has failed for this reason; undefined: it is done. */
export function failureByHand({ structural_type, metadata, type }: ArtefactHead): string | undefined {
  return structural_type === "Failure" ? metadata.summary || type : undefined;
}

/** Why an artefact that is known already, and reads differently now, is refused. The script `verify-artefact` says the same. */
export function writtenOver(id: ArtefactId): string {
  return `The id ${id} is taken, and its artefact was written over by hand. Artefacts never change: write a new one under an id of its own.`;
}

/**
 * Names this content, so that a refusal is remembered for it and a corrected artefact is judged anew. `lack`: what was waited for too long;
 * named with it the content is judged on and on, for a source may be taken in later.
 */
export function digestOf({ fields, payloadBytes }: HandWritten, lack = ""): string {
  const text = JSON.stringify([judgedFields.map((name) => fields[name]), payloadBytes, lack]);
  return createHash("sha1").update(text).digest("hex");
}

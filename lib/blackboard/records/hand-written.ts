// Judges an artefact that a person wrote with plain Redis commands: is it complete, is it sound,
// and what must be filled in?
import { createHash } from "node:crypto";
import type { RegisteredAgent } from "../../model/agent.ts";
import { type ArtefactHead, maxPayloadBytes, orchestratorRole } from "../../model/artefact.ts";
import { ArtefactId } from "../../model/ids.ts";
import {
  type ArtefactFieldName,
  type ArtefactFields,
  artefactFieldNames,
  parseArtefact,
} from "./artefact-fields.ts";
import { missingFields } from "./field-rules.ts";

/**
 * All fields but the payload, of which only the size matters; a missing field is the empty string.
 * `illegible`: the fields whose bytes are no UTF-8; their text in `fields` only resembles them.
 */
export type HandWritten = {
  fields: Record<JudgedField, string>;
  illegible: readonly JudgedField[];
  payloadBytes: number | undefined;
};
export type JudgedField = Exclude<ArtefactFieldName, "payload">;

/**
 * What is known of a source: its goal; `unadopted` when it too was written by hand and is not
 * adopted yet.
 */
export type SourceState = { state: "known"; goal: string } | { state: "unadopted" | "missing" };

/** The newest version in the thread that the artefact names: its fields as they are stored. */
export type ThreadEnd = Partial<
  Pick<ArtefactFields, "version" | "structural_type" | "type" | "goal_id">
>;

/**
 * What an artefact is judged by. `sources` in the order of `source_artefacts`; `createdAt` is used
 * where the writer gave no time.
 */
export type JudgedBy = {
  sources: readonly SourceState[];
  thread: ThreadEnd | undefined;
  agents: readonly RegisteredAgent[];
  createdAt: string;
};

export type Judgement =
  /** It may still be on its way; `reason` is what it lacks. */
  | { verdict: "incomplete"; reason: string }
  | { verdict: "refused"; reason: string }
  | { verdict: "sound"; filled: Omit<ArtefactFields, "payload">; artefact: ArtefactHead };

export const judgedFields = artefactFieldNames.filter(
  (name): name is JudgedField => name !== "payload",
);

const requiredFields: readonly JudgedField[] = [
  "id",
  "logical_id",
  "version",
  "structural_type",
  "type",
  "source_artefacts",
  "produced_by_role",
];

/**
 * The ids in `source_artefacts`; none when it is not a JSON array of ids, which the judgement then
 * says.
 */
export function sourcesOf({ fields }: HandWritten): ArtefactId[] {
  try {
    const parsed = ArtefactId.array().safeParse(JSON.parse(fields.source_artefacts));
    return parsed.success ? parsed.data : [];
  } catch {
    return [];
  }
}

export function judge(
  id: ArtefactId,
  written: HandWritten,
  { sources, thread, agents, createdAt }: JudgedBy,
): Judgement {
  const { fields, illegible, payloadBytes } = written;
  const absent = requiredFields.filter((name) => fields[name] === "");
  if (payloadBytes === undefined || absent.length > 0) {
    const all = payloadBytes === undefined ? [...absent, "payload"] : absent;
    return { verdict: "incomplete", reason: missingFields(all) };
  }
  if (fields.id !== id)
    return { verdict: "refused", reason: "`id` must be the id that its key ends with" };
  if (illegible.length > 0)
    return {
      verdict: "refused",
      reason: `${illegible.map((name) => `\`${name}\``).join(", ")} must be UTF-8 text`,
    };
  if (payloadBytes > maxPayloadBytes)
    return { verdict: "refused", reason: "`payload` must have at most 16 MiB" };

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
    return {
      verdict: "refused",
      reason: `\`source_artefacts\` names ${parsed.artefact.source_artefacts[missing]}, which is no artefact`,
    };
  }
  // A source that was written by hand at the same time is adopted first.
  const unadopted = sources.findIndex((source) => source.state === "unadopted");
  if (unadopted >= 0) {
    const source = parsed.artefact.source_artefacts[unadopted];
    return {
      verdict: "incomplete",
      reason: `\`source_artefacts\` names ${source}, which was written by hand as well and is not adopted`,
    };
  }
  const problem = makerProblem(parsed.artefact, agents);
  if (problem !== undefined) return { verdict: "refused", reason: problem };
  return (
    misplacement(parsed.artefact, thread) ?? { verdict: "sound", filled, artefact: parsed.artefact }
  );
}

/**
 * Roles decide which agents bid, and whose own work an agent ignores: no artefact may carry the
 * role of an agent that did not make it.
 */
function makerProblem(
  artefact: ArtefactHead,
  registered: readonly RegisteredAgent[],
): string | undefined {
  // The role of an agent whose registration cannot be read is unknown.
  const agents = registered.filter(({ unreadable }) => unreadable === undefined);
  const { produced_by_agent: name, produced_by_role: role, claim_id, structural_type } = artefact;
  // No decision would count it.
  if (structural_type === "Review" && claim_id === "")
    return "claim_id: is missing: a Review is the result of a grant, so that its agent must bid review on what is to be judged";
  const agent = agents.find((one) => one.name === name);
  if (agent !== undefined && agent.role !== role)
    return `produced_by_role: is ${agent.role} where ${name} made it, not ${role}`;
  // Only an agent that takes part by hand makes something without a grant.
  if (agent !== undefined && claim_id === "" && agent.external !== true)
    return `claim_id: is missing: what ${name} makes is the result of a grant`;
  if (agent !== undefined) return undefined;
  if (role === orchestratorRole)
    return `produced_by_role: ${role} is only for what the orchestrator itself posts: write another role`;
  if (!agents.some((one) => one.role === role)) return undefined;
  return `produced_by_agent: is none of the role ${role}: name the agent, or write another role`;
}

/** Why it cannot be next in its thread; undefined when it can. */
function misplacement(
  artefact: ArtefactHead,
  thread: ThreadEnd | undefined,
): Exclude<Judgement, { verdict: "sound" }> | undefined {
  const { id, logical_id, version } = artefact;
  const isFirst = String(logical_id) === String(id);
  const refuse = (reason: string) => ({ verdict: "refused" as const, reason });
  if (isFirst && version !== 1) return refuse("version: is 1 where a thread begins");
  if (isFirst || version === 1) {
    return isFirst
      ? undefined
      : refuse("logical_id: is the artefact's own id in version 1, which begins a thread");
  }
  if (thread === undefined)
    return { verdict: "incomplete", reason: `logical_id: there is no thread ${logical_id}` };
  const problem = threadProblem(artefact, thread);
  if (problem === undefined) return undefined;
  // The versions before it may have been written by hand as well, and be adopted later.
  return {
    verdict: version > Number(thread.version) + 1 ? "incomplete" : "refused",
    reason: problem,
  };
}

/**
 * Why the artefact cannot be next in a thread whose last version is `end`; undefined when it can.
 * prelude-artefact.lua says the same.
 */
export function threadProblem(artefact: ArtefactHead, end: ThreadEnd): string | undefined {
  const { logical_id, version, goal_id, structural_type, type } = artefact;
  if (end.goal_id !== goal_id) return `Thread ${logical_id} is of goal ${end.goal_id}.`;
  if (end.structural_type !== structural_type || end.type !== type)
    return `Thread ${logical_id} is of the ${end.structural_type} type ${end.type}, and keeps it.`;
  const next = (Number(end.version) || 0) + 1;
  return version === next
    ? undefined
    : `The next version of thread ${logical_id} is ${next}, not ${version}.`;
}

/**
 * Why an artefact whose content differs from its digest is refused. verify-artefact.lua says the
 * same.
 */
export function writtenOver(id: ArtefactId): string {
  return `The id ${id} is taken, and its artefact was overwritten by hand. Artefacts never change: write a new one under an id of its own.`;
}

/**
 * The digest of this content, by which a refusal is remembered; a corrected artefact is judged
 * again. `lack`: what was missing for too long. It makes another digest, so that the same content
 * is judged again: a source may be adopted later.
 */
export function digestOf({ fields, payloadBytes }: HandWritten, lack = ""): string {
  const text = JSON.stringify([judgedFields.map((name) => fields[name]), payloadBytes, lack]);
  return createHash("sha1").update(text).digest("hex");
}

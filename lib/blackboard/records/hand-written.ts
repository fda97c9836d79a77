// Judges an artefact that the instance's owner has written with plain Redis commands: is it sound,
// and what must be filled in?
import type { RegisteredAgent } from "../../model/agent.ts";
import { type ArtefactHead, maxPayloadBytes, orchestratorRole } from "../../model/artefact.ts";
import { ArtefactId } from "../../model/ids.ts";
import {
  type ArtefactFieldName,
  type ArtefactFields,
  artefactFieldNames,
} from "./artefact-field-names.ts";
import { parseArtefact } from "./artefact-fields.ts";
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

/** The newest version in the thread that the artefact names: its fields as they are stored. */
export type ThreadEnd = Partial<
  Pick<ArtefactFields, "version" | "structural_type" | "type" | "goal_id">
>;

/**
 * An artefact is judged by this. `goals`: of its sources, in their order; undefined for a source
 * that is not on record. `createdAt` is used where the writer gave no time.
 */
export type JudgedBy = {
  goals: readonly (string | undefined)[];
  thread: ThreadEnd | undefined;
  agents: readonly RegisteredAgent[];
  createdAt: string;
};

/** `filled`: its fields as they are to be stored. */
export type Judgement =
  | { problem: string }
  | { filled: Omit<ArtefactFields, "payload">; artefact: ArtefactHead };

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

/** The ids in `source_artefacts`; none when it is no JSON array of ids, which is then judged. */
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
  { goals, thread, agents, createdAt }: JudgedBy,
): Judgement {
  const { fields, illegible, payloadBytes } = written;
  const absent = requiredFields.filter((name) => fields[name] === "");
  if (payloadBytes === undefined || absent.length > 0)
    return { problem: missingFields(payloadBytes === undefined ? [...absent, "payload"] : absent) };
  if (fields.id !== id) return { problem: "`id` must be the id that its key ends with" };
  if (illegible.length > 0)
    return { problem: `${illegible.map((name) => `\`${name}\``).join(", ")} must be UTF-8 text` };
  if (payloadBytes > maxPayloadBytes) return { problem: "`payload` must have at most 16 MiB" };

  const filled = {
    ...fields,
    created_at: fields.created_at || createdAt,
    goal_id: fields.goal_id || goals[0] || id,
    metadata: fields.metadata || "{}",
  };
  const parsed = parseArtefact(filled, "");
  if ("problem" in parsed) return { problem: parsed.problem };
  const { artefact } = parsed;
  const missing = goals.indexOf(undefined);
  if (missing >= 0) {
    const source = artefact.source_artefacts[missing];
    return { problem: `\`source_artefacts\` names ${source}, which is not on record` };
  }
  const problem = makerProblem(artefact, agents) ?? misplacement(artefact, thread);
  return problem === undefined ? { filled, artefact } : { problem };
}

/**
 * Results of agents come by their mail. Roles decide which agents bid, and whose own work an agent
 * ignores: no artefact may carry the role of an agent that did not make it.
 */
function makerProblem(
  artefact: ArtefactHead,
  registered: readonly RegisteredAgent[],
): string | undefined {
  const { produced_by_agent, produced_by_role: role, claim_id, structural_type } = artefact;
  if (claim_id !== "" || produced_by_agent !== "")
    return "claim_id, produced_by_agent: must be empty: an agent sends its result by its mail";
  // No decision would count it.
  if (structural_type === "Review")
    return "structural_type: is no Review: that is the result of a grant";
  if (role === orchestratorRole)
    return `produced_by_role: ${role} is only for what the orchestrator itself posts: write another role`;
  // The role of an agent whose registration cannot be read is unknown.
  const isTaken = registered.some((one) => one.unreadable === undefined && one.role === role);
  return isTaken
    ? `produced_by_role: ${role} is the role of an agent: write another role`
    : undefined;
}

/** Why it cannot be next in its thread; undefined when it can. */
function misplacement(artefact: ArtefactHead, thread: ThreadEnd | undefined): string | undefined {
  const { id, logical_id, version } = artefact;
  const isFirst = String(logical_id) === String(id);
  if (isFirst) return version === 1 ? undefined : "version: is 1 where a thread begins";
  if (version === 1)
    return "logical_id: is the artefact's own id in version 1, which begins a thread";
  if (thread === undefined) return `logical_id: there is no thread ${logical_id}`;
  return threadProblem(artefact, thread);
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

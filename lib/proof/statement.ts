// A person signs a statement of what was done, to what, and what it means
// (docs/reference/proof.md#signatures-of-people). Pure.
import type { Meaning } from "../model/meaning.ts";
import { jsonObject, textOf } from "./formats.ts";

/** In the order in which they are written. */
export const statementMembers = [
  "sett_statement",
  "act",
  "meaning",
  "instance",
  "id",
  "goal",
  "claim",
  "artefact",
  "content",
  "commit",
  "for",
  "reason",
  "name",
  "principal",
  "at",
] as const;
export type StatementMember = (typeof statementMembers)[number];
/** Each is a text, and empty where there is nothing of the kind. */
export type Statement = Readonly<Record<StatementMember, string>>;

export const acts = ["approve", "reject", "answer", "forage", "erase"] as const;
export type Act = (typeof acts)[number];

/** An act has this meaning where the person says no other. */
export const usualMeaning: Readonly<Record<Act, Meaning>> = {
  approve: "approval",
  reject: "review",
  answer: "authorship",
  forage: "authorship",
  erase: "responsibility",
};

/** Signatures are made in this namespace, so that one of something else is none of a statement. */
export const namespace = "statement@sett.dev";
export const statementVersion = "1";

/** The fields of an artefact by which a person acts. `metadata`: JSON, as it is on record. */
export type PersonalRecord = {
  id: string;
  version: string;
  structural_type: string;
  type: string;
  payload: string;
  source_artefacts: readonly string[];
  produced_by_agent: string;
  goal_id: string;
  claim_id: string;
  metadata: Readonly<Record<string, unknown>>;
};

/** These follow from the record, and from where and by whom it was written. */
export type Stated = Omit<Statement, "sett_statement" | "meaning" | "at">;

/** An erasure is an event, and no artefact. */
export type RecordedAct = Exclude<Act, "erase">;

/** Undefined where the artefact is of no kind that people sign. */
export function actOf(record: PersonalRecord): RecordedAct | undefined {
  const { structural_type, payload, type, id, goal_id, produced_by_agent } = record;
  if (structural_type === "Review") return payload === "{}" ? "approve" : "reject";
  if (structural_type === "Answer") return type === "Answer" ? "answer" : undefined;
  const isGoal = structural_type === "Standard" && type === "GoalDefined" && id === goal_id;
  return isGoal && produced_by_agent === "" ? "forage" : undefined;
}

/**
 * `actor`: of the event, such as `person:Ada <ada@example.org>`. `content`: the SHA-256 of the
 * record that it is about, as the log has it.
 */
export function statedBy(
  record: PersonalRecord,
  {
    act,
    actor,
    instance,
    content,
  }: { act: RecordedAct; actor: string; instance: string; content: string },
): Stated {
  const { id, goal_id: goal, claim_id: claim, metadata } = record;
  const isVerdict = act === "approve" || act === "reject";
  const name = actor.replace(/^person:/, "");
  return {
    ...{ act, instance, id, goal, claim },
    artefact: act === "forage" ? "" : (record.source_artefacts[0] ?? ""),
    content: act === "forage" || content === "" ? "" : `sha256:${content}`,
    commit: textOf(metadata.commit),
    for: isVerdict ? record.produced_by_agent : "",
    reason: reasonOf(act, record),
    name,
    principal: principalOf(name),
  };
}

type StatedErasure = Readonly<
  Record<"goal" | "artefact" | "sha256" | "reason" | "actor" | "instance", string>
>;

/**
 * The same of an erasure. `artefact` and `sha256`: empty where the person has had all of the goal
 * erased.
 */
export function erasureStatedBy(erasure: StatedErasure): Stated {
  const { goal, artefact, sha256, reason, actor, instance } = erasure;
  const name = actor.replace(/^person:/, "");
  return {
    ...{ act: "erase", instance, id: "", goal, claim: "", artefact },
    content: sha256 === "" ? "" : `sha256:${sha256}`,
    ...{ commit: "", for: "", reason, name, principal: principalOf(name) },
  };
}

function reasonOf(act: RecordedAct, { payload, metadata }: PersonalRecord): string {
  if (act === "approve") return textOf(metadata.comment);
  if (act === "reject") return textOf(jsonObject(payload)?.reason);
  return payload.toWellFormed();
}

/** The address in a name such as `Ada <ada@example.org>`, else the name itself. */
export function principalOf(name: string): string {
  return / <([^<>]+)>$/.exec(name)?.[1] ?? name;
}

export function statementText(statement: Statement): string {
  return JSON.stringify(
    Object.fromEntries(statementMembers.map((member) => [member, statement[member]])),
  );
}

/** Undefined where it is not written as `statementText` writes it. */
export function readStatement(text: string): Statement | undefined {
  const body = jsonObject(text);
  if (body === undefined) return undefined;
  const members = statementMembers.map((member) => [member, body[member]] as const);
  if (members.some(([, value]) => typeof value !== "string")) return undefined;
  const statement = Object.fromEntries(members) as Statement;
  return statementText(statement) === text ? statement : undefined;
}

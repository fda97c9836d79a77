// The commit of a result is compared with these: the commit of its goal, which comes first, and the
// ones that a person may have seen before.
import type { DeliveredCommit } from "../../blackboard/port/artefacts.ts";
import { answersIn } from "../../core/answers-in.ts";
import { type ArtefactHead, goalType } from "../../model/artefact.ts";
import type { Actor } from "../../model/event.ts";
import { AgentName, ArtefactId, type CommitHash } from "../../model/ids.ts";
import { assistantIn } from "../actions/assistant.ts";
import { typeText } from "../text/type-text.ts";
import type { ReadingBoard } from "./reading-board.ts";

/** The context of an agent reaches back so far. */
const levels = 10;
const maxSources = 1_000;

export const sinceNames = ["goal", "version", "verdict", "start"] as const;
export type Since = (typeof sinceNames)[number];

/** `name`: what the commit is, for people. */
export type EarlierCommit = { since: Exclude<Since, "goal">; name: string; commit: CommitHash };

/**
 * `goal`: the commit where the work began, and `goalName` what it is. `recorded`: the commits on
 * record that it may be based on, and its own, the oldest first. `landings`: the commits that lanes
 * have made. `earlier`: each commit once.
 */
export type WorkOfResult = {
  commit: CommitHash;
  goal: CommitHash | undefined;
  goalName: string;
  recorded: DeliveredCommit[];
  landings: CommitHash[];
  earlier: EarlierCommit[];
};

export type WorkBoard = Pick<
  ReadingBoard,
  "readHeads" | "claimsOfArtefact" | "readClaims" | "listAgents" | "listCommits"
>;

/** `person`: whose last verdict counts; without one none does. */
export async function workOf(
  board: WorkBoard,
  artefact: ArtefactHead,
  commit: CommitHash,
  person: Actor | undefined,
): Promise<WorkOfResult> {
  const goal = await beginningOf(board, ArtefactId.parse(artefact.goal_id));
  const inputs = await inputsOf(board, artefact);
  const { recorded, landings } = await commitsOfLanes(board);
  const versions = inputs.filter(
    (one) => one.logical_id === artefact.logical_id && one.version < artefact.version,
  );
  const judged = person === undefined ? undefined : await lastJudged(board, versions, person);
  const before = versions.find((one) => one.version === artefact.version - 1);
  const start = inputs.findLast(
    (one) =>
      String(one.id) !== String(artefact.goal_id) &&
      one.structural_type !== "Question" &&
      one.metadata.commit !== undefined,
  );
  const named: (EarlierCommit | undefined)[] = [
    earlier("verdict", judged, `your last verdict, on version ${judged?.version}`),
    earlier("version", before, `version ${before?.version}`),
    earlier(
      "start",
      start,
      `${typeText(start?.type ?? "")} ${start?.id.slice(0, 8)}, which the work is based on`,
    ),
  ];
  return {
    ...{ commit, goal: goal.commit, goalName: goal.name },
    ...{ recorded: [...recorded, ...[...inputs, artefact].flatMap(deliveredBy)], landings },
    earlier: named.flatMap((one) => one ?? []),
  };
}

/** Not the commit that a goal starts from. */
export function deliveredBy(head: ArtefactHead): DeliveredCommit[] {
  const { id: artefact, type, metadata, produced_by_agent } = head;
  if (type === goalType || metadata.commit === undefined) return [];
  const agent = AgentName.safeParse(produced_by_agent).data ?? "";
  return [{ artefact, commit: metadata.commit, agent }];
}

/**
 * Where lanes merge, the work has commits of other goals as well, each with its own agent. The
 * oldest first; `landings`: those that lanes have made.
 */
async function commitsOfLanes(
  board: WorkBoard,
): Promise<{ recorded: DeliveredCommit[]; landings: CommitHash[] }> {
  const agents = await board.listAgents();
  const lanes = new Set<string>(
    agents.flatMap(({ name, lane }) => (lane === undefined ? [] : name)),
  );
  if (lanes.size === 0) return { recorded: [], landings: [] };
  const recorded = await board.listCommits();
  const landings = recorded.flatMap(({ agent, commit }) => (lanes.has(agent) ? commit : []));
  return { recorded, landings };
}

type Beginning = { commit: CommitHash | undefined; name: string };

/**
 * The commit of the goal. A fork begins at the work of an agent, which no one may have seen or
 * merged: a merge of the fork brings that as well, so that its work began where that began.
 */
async function beginningOf(board: WorkBoard, id: ArtefactId): Promise<Beginning> {
  const [own] = await board.readHeads([id]);
  let beginning: Beginning = { commit: own?.head.metadata.commit, name: "the commit of the goal" };
  let goal = own?.head;
  for (let level = 0; level < levels; level += 1) {
    const sources = goal?.source_artefacts ?? [];
    if (goal === undefined || sources.length === 0) break;
    const { commit } = goal.metadata;
    const from = (await inputsOf(board, goal)).findLast(
      ({ type, metadata }) => type !== goalType && metadata.commit === commit,
    );
    if (commit === undefined || from === undefined || from.goal_id === goal.goal_id) break;
    const [before] = await board.readHeads([ArtefactId.parse(from.goal_id)]);
    if (before?.head.metadata.commit === undefined) break;
    goal = before.head;
    const name = `the commit of goal ${goal.id.slice(0, 8)}, of which this one is a fork`;
    beginning = { commit: goal.metadata.commit, name };
  }
  return beginning;
}

/**
 * Each is there only if it differs from the goal's commit, and from the others: `start` is most
 * often the version before.
 */
export function distinct({
  goal,
  earlier: all,
}: Pick<WorkOfResult, "goal" | "earlier">): EarlierCommit[] {
  return all.filter(
    ({ commit }, at) => commit !== goal && all.findIndex((one) => one.commit === commit) === at,
  );
}

function earlier(
  since: EarlierCommit["since"],
  of: ArtefactHead | undefined,
  name: string,
): EarlierCommit | undefined {
  return of?.metadata.commit === undefined
    ? undefined
    : { since, name, commit: of.metadata.commit };
}

/** The oldest first, goals before all others. */
async function inputsOf(board: WorkBoard, artefact: ArtefactHead): Promise<ArtefactHead[]> {
  const known = new Map<ArtefactId, ArtefactHead>();
  let next: readonly ArtefactId[] = artefact.source_artefacts;
  for (let level = 0; level < levels && next.length > 0 && known.size < maxSources; level += 1) {
    const heads = (await board.readHeads(next)).map(({ head }) => head);
    for (const head of heads) known.set(head.id, head);
    next = [...new Set(heads.flatMap((head) => head.source_artefacts))].filter(
      (id) => !known.has(id) && id !== artefact.id,
    );
  }
  return [...known.values()].sort(
    (a, b) => rank(b) - rank(a) || Date.parse(a.created_at) - Date.parse(b.created_at),
  );
}

function rank({ type }: ArtefactHead): number {
  return type === goalType ? 1 : 0;
}

/** The newest of the versions that this person has approved or rejected, also by an assistant. */
async function lastJudged(
  board: WorkBoard,
  versions: readonly ArtefactHead[],
  person: Actor,
): Promise<ArtefactHead | undefined> {
  const agents = versions.length === 0 ? [] : await board.listAgents();
  const people = new Set(agents.flatMap(({ name, human }) => (human ? [name as string] : [])));
  for (const version of versions.toSorted((a, b) => b.version - a.version)) {
    const claims = await board.readClaims([...(await board.claimsOfArtefact(version.id)).values()]);
    const results = claims.flatMap(({ grants }) => grants.flatMap(answersIn));
    const reviews = results.length === 0 ? [] : await board.readHeads(results);
    // A command's Review says in its own words who has made it.
    if (reviews.some(({ head }) => people.has(head.produced_by_agent) && isBy(head, person)))
      return version;
  }
  return undefined;
}

/** Whether this person has given the verdict, or an assistant for them. */
export function isBy({ structural_type, metadata: { by } }: ArtefactHead, person: Actor): boolean {
  if (structural_type !== "Review" || typeof by !== "string") return false;
  const actor: Actor = `person:${by}`;
  return actor === person || assistantIn(actor, person) !== undefined;
}

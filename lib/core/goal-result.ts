// Folds what came of a goal from its record: the commits to merge, what was checked, who has
// approved with which words, how long it took and what it cost. Stored nowhere.
import type { RegisteredAgent } from "../model/agent.ts";
import type { Grant } from "../model/claim.ts";
import type { ArtefactId, CommitHash, GoalId } from "../model/ids.ts";
import { laneMoveOf, revertedLaneOf } from "../model/lane.ts";
import { type Meaning, meaningIn } from "../model/meaning.ts";
import type { Phase } from "../model/phase.ts";
import { answersIn } from "./answers-in.ts";
import type { ArtefactGraph, GraphClaim, GraphEdge, GraphNode } from "./artefact-graph.ts";
import type { Cost } from "./call-costs.ts";
import { type GoalRevert, goalReverts } from "./goal-reverts.ts";
import type { GoalState } from "./goal-status.ts";

/** `by`: the agent; empty where a person has posted it. */
export type ResultItem = {
  artefact: ArtefactId;
  type: string;
  version: number;
  by: string;
  summary: string;
};

export type ResultCommit = ResultItem & { commit: CommitHash };

/** `artefact`: what the agent has answered with, or its Failure; null where there is none yet. */
export type Check = {
  agent: string;
  phase: Phase;
  about: ArtefactId;
  outcome: "passed" | "feedback" | "failed" | "open";
  artefact: ArtefactId | null;
  summary: string;
};

/**
 * A person's approval. `by`: the name as the record has it, perhaps with an address. `words`: what
 * the person has added; empty where that is nothing. `meaning`: of the signature; null without one.
 */
export type Approval = {
  by: string;
  agent: string;
  about: ArtefactId;
  review: ArtefactId;
  words: string;
  meaning: Meaning | null;
  at: string;
};

/**
 * Times are ISO 8601. `ended_at`, `duration_ms`: null until the goal rests. `start`: the commit
 * that the work began at. `commits`: each is in the history of no other one of them, the oldest
 * first. `others`: results without a commit. `checks`, `approvals`: about the newest versions.
 * `reverts`: the lanes from which the goal is taken back; that is no result of it.
 */
export type GoalResult = {
  goal: GoalId;
  state: GoalState;
  summary: string;
  begun_at: string;
  ended_at: string | null;
  duration_ms: number | null;
  start: CommitHash | null;
  commits: ResultCommit[];
  others: ResultItem[];
  checks: Check[];
  approvals: Approval[];
  reverts: GoalRevert[];
  cost: Cost | null;
};

type Made = Extract<GraphNode, { kind: "artefact" }>;

/** `programs`: agents that are no people, whatever their Reviews say of who has made them. */
export type Known = { byId: ReadonlyMap<ArtefactId, Made>; programs: ReadonlySet<string> };

type Registered = Pick<RegisteredAgent, "name" | "human">;

/** `agents`: all that are registered. */
export function goalResult(
  graph: ArtefactGraph,
  state: GoalState,
  agents: readonly Registered[],
): GoalResult {
  const all = graph.nodes.filter((made) => made.kind === "artefact");
  const known = knownOf(all, agents);
  const { byId } = known;
  const newest = new Map<string, Made>();
  for (const made of all)
    if ((newest.get(made.logical_id)?.version ?? 0) < made.version)
      newest.set(made.logical_id, made);
  const standing = [...newest.values()].filter(({ structural_type }) => isWork(structural_type));
  const goal = newest.get(graph.goal);
  const checks = standing.flatMap((made) => checksOn(made, known));
  const answers = new Set(
    checks.flatMap(({ artefact, phase }) =>
      artefact === null || phase === "review" ? [] : [artefact],
    ),
  );
  const results = standing.filter(
    (made) => made !== goal && !isSentBack(made) && revertedLaneOf(made) === undefined,
  );
  const commits = results.filter((made) => made.metadata.commit !== undefined);
  const ended = state === "running" || state === "waiting" ? undefined : lastTime(all);
  const begun = byId.get(graph.goal as string as ArtefactId) ?? all[0];
  return {
    goal: graph.goal,
    state,
    summary: goal?.metadata.summary ?? "",
    begun_at: begun?.created_at ?? "",
    ended_at: ended ?? null,
    duration_ms:
      ended === undefined || begun === undefined
        ? null
        : Math.max(0, Date.parse(ended) - Date.parse(begun.created_at)),
    start: begun?.metadata.commit ?? null,
    commits: last(commits, graph).flatMap((made) => {
      const { commit } = made.metadata;
      const isRevert = laneMoveOf(made)?.reverted_by !== undefined;
      return commit === undefined || isRevert ? [] : [{ ...itemOf(made), commit }];
    }),
    others: results
      .filter(({ id, metadata }) => metadata.commit === undefined && !answers.has(id))
      .map(itemOf),
    checks,
    approvals: standing.flatMap((made) => approvalsOf(made, known)),
    reverts: goalReverts(all),
    cost: begun?.goal_cost ?? null,
  };
}

/** The artefact with all that it was made from. */
export function lineageOf(
  { edges }: Pick<ArtefactGraph, "edges">,
  id: ArtefactId,
): Set<ArtefactId> {
  return originsIn(
    Map.groupBy(edges, ({ to }) => to),
    [id],
  );
}

/** The edges by the artefact that they lead to. */
type Sources = ReadonlyMap<ArtefactId, readonly GraphEdge[]>;

function originsIn(sources: Sources, ids: readonly ArtefactId[]): Set<ArtefactId> {
  const found = new Set(ids);
  for (const one of found) for (const { from } of sources.get(one) ?? []) found.add(from);
  return found;
}

function isWork(structural: Made["structural_type"]): boolean {
  return structural === "Standard" || structural === "Terminal";
}

/** A reviewer does not want it as it is, and no newer version has come. */
function isSentBack({ claims }: Made): boolean {
  return claims.some(
    ({ status, grants }) =>
      status === "terminated" && grants.some((grant) => grant.state === "done" && grant.rejects),
  );
}

/** Returns those from which no other one of them was made. The same commit is there once. */
function last(nodes: readonly Made[], { edges }: ArtefactGraph): Made[] {
  const sources = Map.groupBy(edges, ({ to }) => to);
  const before = nodes.flatMap(({ id }) => (sources.get(id) ?? []).map(({ from }) => from));
  const replaced = originsIn(sources, before);
  const kept = nodes.filter(({ id }) => !replaced.has(id));
  return kept.filter(
    ({ metadata: { commit } }, at) =>
      kept.findLastIndex(({ metadata }) => metadata.commit === commit) === at,
  );
}

function itemOf({ id, type, version, produced_by_agent, metadata }: Made): ResultItem {
  return { artefact: id, type, version, by: produced_by_agent, summary: metadata.summary ?? "" };
}

/**
 * The newest grant of each agent that has looked at the artefact without changing it. Parallel work
 * on the goal itself, or with a commit, is work.
 */
function checksOn(made: Made, known: Known): Check[] {
  const { byId } = known;
  const grants = new Map<string, Grant>();
  for (const grant of grantsOf(made.claims)) {
    const { agent, phase, state } = grant;
    if (phase === "exclusive" || state === "cancelled" || isOfPerson(grant, known)) continue;
    const before = grants.get(agent);
    if (before === undefined || before.queued_at <= grant.queued_at) grants.set(agent, grant);
  }
  return [...grants.values()].flatMap((grant) => {
    const answer = answerOf(grant, byId);
    if (grant.phase === "parallel" && (isGoal(made) || answer?.metadata.commit !== undefined))
      return [];
    return [
      {
        agent: grant.agent,
        phase: grant.phase,
        about: made.id,
        outcome: outcomeOf(grant),
        artefact: answer?.id ?? null,
        summary: answer?.metadata.summary ?? "",
      },
    ];
  });
}

function isGoal({ logical_id, goal_id }: Made): boolean {
  return String(logical_id) === String(goal_id);
}

function outcomeOf(grant: Grant): Check["outcome"] {
  if (grant.state === "done") return grant.rejects ? "feedback" : "passed";
  return grant.state === "failed" ? "failed" : "open";
}

/** Nothing is approved while others have to approve: the grant has to be done. */
function approvalsOf(made: Made, known: Known): Approval[] {
  return grantsOf(made.claims).flatMap((grant) => {
    if (grant.state !== "done" || grant.rejects || !isOfPerson(grant, known)) return [];
    return answersIn(grant).flatMap((id) => {
      const review = known.byId.get(id);
      if (review === undefined) return [];
      const { by, comment } = review.metadata;
      return [
        {
          ...{ by: String(by), agent: grant.agent, about: made.id, review: review.id },
          words: typeof comment === "string" ? comment : "",
          meaning: meaningIn(review.metadata),
          at: review.created_at,
        },
      ];
    });
  });
}

export function knownOf(all: readonly Made[], agents: readonly Registered[]): Known {
  return {
    byId: new Map(all.map((made) => [made.id, made])),
    programs: new Set(agents.flatMap(({ name, human }) => (human === true ? [] : [name]))),
  };
}

/**
 * Whether a person has ended the grant, or is to end it: it has no run of a program. The metadata
 * alone would not do, as an agent writes its own; nor would a missing run, as an agent that takes
 * part by hand may leave it out.
 */
export function isOfPerson(grant: Grant, { byId, programs }: Known): boolean {
  if (grant.state === "waiting") return grant.waits_for.kind === "approval";
  if (programs.has(grant.agent)) return false;
  if (grant.state === "cancelled") return grant.quorum !== undefined;
  if (grant.state !== "done" || grant.run_id !== undefined) return false;
  const answer = answerOf(grant, byId);
  return answer?.structural_type === "Review" && typeof answer.metadata.by === "string";
}

function answerOf(grant: Grant, byId: ReadonlyMap<ArtefactId, Made>): Made | undefined {
  const ids = grant.state === "done" || grant.state === "failed" ? grant.artefact_ids : [];
  return ids.map((id) => byId.get(id)).find((made) => made !== undefined);
}

function grantsOf(claims: readonly GraphClaim[]): Grant[] {
  return claims.flatMap(({ grants }) => grants);
}

function lastTime(nodes: readonly Made[]): string | undefined {
  const ends = nodes.flatMap(({ claims }) =>
    grantsOf(claims).flatMap((grant) => ("ended_at" in grant ? [grant.ended_at] : [])),
  );
  return [...nodes.map(({ created_at }) => created_at), ...ends].sort().at(-1);
}

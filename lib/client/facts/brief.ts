// Reads what a person should know who judges an artefact, beside the change itself: the goal, what
// others say of it, what was checked before, and what the person has said of earlier versions.
// Every surface shows this reading, and makes none of its own.

import { answersIn } from "../../core/answers-in.ts";
import type { ArtefactGraph, GraphClaim, GraphNode } from "../../core/artefact-graph.ts";
import type { Cost } from "../../core/call-costs.ts";
import { type Check, isOfPerson, type Known, knownOf } from "../../core/goal-result.ts";
import { progressOf } from "../../core/quorum.ts";
import { unaskedReviews } from "../../core/review-order.ts";
import type { RegisteredAgent } from "../../model/agent.ts";
import { type Artefact, type ArtefactHead, goalType } from "../../model/artefact.ts";
import type { Grant } from "../../model/claim.ts";
import type { Actor } from "../../model/event.ts";
import type { ArtefactId, CommitHash } from "../../model/ids.ts";
import { actorName } from "../../words/actor-name.ts";
import { costJson } from "../render/cost-text.ts";
import { approving, readWhole } from "./artefacts.ts";
import { readGraph } from "./graph.ts";
import type { ReadingBoard } from "./reading-board.ts";
import { reasonIn } from "./report.ts";
import { isBy } from "./work.ts";

/**
 * The opinion of one agent, or of each person for one. `outcome`: a review that approves and
 * a check that has a result have `passed`; `waits`: it is asked when all of `waits_for` have
 * approved. `open`, where several people have to approve: `waits_for` are those who still may.
 * `artefact`, `at`: of its answer; null where there is none. `words`: their beginning.
 */
export type Opinion = {
  about: ArtefactId;
  type: string;
  version: number;
  agent: string;
  by: string;
  is_person: boolean;
  outcome: Check["outcome"] | "waits";
  waits_for: string[];
  artefact: ArtefactId | null;
  words: string;
  at: string | null;
};

/**
 * `goal`: its newest version; `text` is the beginning where it is not `whole`. `reviews`: of this
 * version. `checks`: the work beside it, and reviews and checks of what it was made from. `yours`:
 * the person's verdicts on earlier versions, the newest first. `cost`: of the calls of models that
 * led to it; null where there were none.
 */
export type Brief = {
  artefact: ArtefactId;
  goal: {
    artefact: ArtefactId;
    version: number;
    text: string;
    whole: boolean;
    commit: CommitHash | null;
  } | null;
  reviews: Opinion[];
  checks: Opinion[];
  yours: Opinion[];
  cost: Cost | null;
  goal_cost: Cost | null;
};

type Made = Extract<GraphNode, { kind: "artefact" }>;
type KnownHere = Known & { agents: readonly RegisteredAgent[] };
type Board = Pick<ReadingBoard, "readHeads" | "readArtefacts" | "listAgents">;

const maxGoalCharacters = 20_000;
const maxCharacters = 4_000;
/** Each list has at most so many. */
const maxOpinions = 200;
/** Feedback may have 16 MiB each. Where these are read, the others are shown by their summaries. */
const maxReadCharacters = 8 * 1024 ** 2;

export async function readBrief(
  board: ReadingBoard,
  artefact: Artefact,
  person: Actor | undefined,
): Promise<Brief> {
  return await briefOf(board, await readGraph(board, artefact.goal_id), { artefact, person });
}

/** The same, where the caller has the graph of the goal. */
export async function briefOf(
  board: Board,
  graph: ArtefactGraph,
  { artefact, person }: { artefact: ArtefactHead; person: Actor | undefined },
): Promise<Brief> {
  const all = graph.nodes.filter((node) => node.kind === "artefact");
  const agents = await board.listAgents();
  const known = { ...knownOf(all, agents), agents };
  const { byId } = known;
  const node = byId.get(artefact.id);
  const before = all
    .filter((one) => one.logical_id === artefact.logical_id && one.version < artefact.version)
    .toSorted((one, other) => other.version - one.version);
  const sources = artefact.source_artefacts.flatMap((id) => byId.get(id) ?? []);
  const about = (made: Made) => opinionsOn(made, known);
  const own = node === undefined ? [] : about(node);
  const isSource = (made: Made) => made.type !== goalType && !before.includes(made);
  const reviews = own.filter(({ phase }) => phase === "review").slice(0, maxOpinions);
  const checks = [
    ...own.filter(({ phase }) => phase === "parallel"),
    ...sources.filter(isSource).flatMap(about),
  ].slice(0, maxOpinions);
  const yours = before
    .flatMap(about)
    .filter(({ review }) => review !== undefined && person !== undefined && isBy(review, person))
    .slice(0, maxOpinions);
  const goal = all.findLast(({ logical_id }) => String(logical_id) === String(graph.goal));
  const payloads = await payloadsOf(board, [...reviews, ...checks, ...yours], goal);
  const words = (list: readonly Found[]) => list.map((found) => opinionOf(found, payloads));
  return {
    artefact: artefact.id,
    goal: goal === undefined ? null : goalOf(goal, payloads.get(goal.id) ?? ""),
    ...{ reviews: words(reviews), checks: words(checks), yours: words(yours) },
    cost: node?.cost ?? null,
    goal_cost: all.find(({ goal_cost }) => goal_cost !== undefined)?.goal_cost ?? null,
  };
}

/** As JSON shows it; money in US dollars. */
export function briefJson({ cost, goal_cost, ...brief }: Brief) {
  return {
    ...brief,
    cost: cost === null ? null : costJson(cost),
    goal_cost: goal_cost === null ? null : costJson(goal_cost),
  };
}

function goalOf({ id, version, metadata }: Made, payload: string): Brief["goal"] {
  const text = payload.slice(0, maxGoalCharacters).toWellFormed();
  const whole = payload.length <= maxGoalCharacters;
  return { artefact: id, version, text, whole, commit: metadata.commit ?? null };
}

/** An opinion without its words. `answer`: its end; `review`: the same where it is a person's. */
type Found = Omit<Opinion, "words"> & {
  phase: "review" | "parallel";
  answer: Made | undefined;
  review: Made | undefined;
};

/** The newest of each agent. Work that has made a commit, or is on a goal, is no check. */
function opinionsOn(about: Made, known: KnownHere): Found[] {
  const newest = new Map<string, Grant>();
  for (const grant of about.claims.flatMap(({ grants }) => grants)) {
    const { agent, phase, state, queued_at: at } = grant;
    if (phase === "exclusive") continue;
    if (state === "cancelled" && answersIn(grant).length === 0) continue;
    if ((newest.get(agent)?.queued_at ?? "") <= at) newest.set(agent, grant);
  }
  const found = [...newest.values()].flatMap((grant) => foundIn(grant, about, known));
  return [...found, ...about.claims.flatMap((claim) => waitingIn(claim, about, known))];
}

/** Each answer, as several people may have approved; and one that is not there yet. */
function foundIn(grant: Grant, about: Made, known: KnownHere): Found[] {
  const { agent, phase, state } = grant;
  if (phase === "exclusive") return [];
  const isPerson = isOfPerson(grant, known);
  const isOpen = state !== "done" && state !== "failed" && state !== "cancelled";
  const answers = [
    ...answersIn(grant).map((id) => known.byId.get(id)),
    ...(isOpen ? [undefined] : []),
  ];
  return answers.flatMap((answer) => {
    const isWork = about.type === goalType || answer?.metadata.commit !== undefined;
    if (phase === "parallel" && isWork) return [];
    const review = isPerson ? answer : undefined;
    const outcome = answer?.verdict === "approval" ? "passed" : outcomeOf(grant);
    return [
      {
        ...nameOf(about),
        ...{ agent, is_person: isPerson, phase, outcome },
        waits_for: answer === undefined ? whoMayApprove(grant, known) : [],
        by: review === undefined ? agent : actorName(`person:${review.metadata.by}`),
        ...{ artefact: answer?.id ?? null, at: answer?.created_at ?? null, answer, review },
      },
    ];
  });
}

/** Empty where one approval of any person is enough. */
function whoMayApprove({ agent, quorum }: Grant, { agents }: KnownHere): string[] {
  if (quorum === undefined) return [];
  return progressOf(quorum, agents.find(({ name }) => name === agent)?.people).may_approve;
}

function waitingIn(claim: GraphClaim, about: Made, { agents }: KnownHere): Found[] {
  const people = new Set(agents.filter(({ human }) => human === true).map(({ name }) => name));
  return unaskedReviews({ claim, grants: claim.grants }).map(({ agent, after }) => ({
    ...nameOf(about),
    ...{ agent, by: agent, is_person: people.has(agent), phase: "review", outcome: "waits" },
    ...{ waits_for: after, artefact: null, at: null, answer: undefined, review: undefined },
  }));
}

function nameOf({ id, type, version }: Made) {
  return { about: id, type, version };
}

function outcomeOf(grant: Grant): Check["outcome"] {
  if (grant.state === "done") return grant.rejects ? "feedback" : "passed";
  return grant.state === "failed" ? "failed" : "open";
}

/** Reads the payloads of those alone whose summary does not say all. */
async function payloadsOf(
  board: Board,
  found: readonly Found[],
  goal: Made | undefined,
): Promise<Map<ArtefactId, string>> {
  const ids = found.flatMap(({ outcome, answer }) =>
    outcome === "feedback" && answer !== undefined ? [answer.id] : [],
  );
  const payloads = new Map<ArtefactId, string>();
  const wanted = [...new Set([...(goal === undefined ? [] : [goal.id]), ...ids])];
  let characters = 0;
  for await (const { id, payload } of readWhole(board, wanted)) {
    payloads.set(id, payload);
    characters += payload.length;
    if (characters > maxReadCharacters) break;
  }
  return payloads;
}

function opinionOf(
  { phase: _, answer, review, ...opinion }: Found,
  payloads: ReadonlyMap<ArtefactId, string>,
): Opinion {
  return {
    ...opinion,
    words: wordsOf(answer, review, payloads).slice(0, maxCharacters).toWellFormed(),
  };
}

function wordsOf(
  answer: Made | undefined,
  review: Made | undefined,
  payloads: ReadonlyMap<ArtefactId, string>,
): string {
  if (answer === undefined) return "";
  const payload = payloads.get(answer.id);
  if (payload !== undefined) return reasonIn(payload) ?? payload;
  const { summary = "", comment } = answer.metadata;
  if (review === undefined) return summary === approving ? "" : summary;
  return typeof comment === "string" ? comment : "";
}

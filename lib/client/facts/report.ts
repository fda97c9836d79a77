// Reads the whole story of a goal: what was wanted, who did what, why it was made again, what was
// checked and decided, what it cost, and how to verify it.
import { z } from "zod";
import { answersIn } from "../../core/answers-in.ts";
import type { GraphNode } from "../../core/artefact-graph.ts";
import { costsBy } from "../../core/call-costs.ts";
import { failureReportIn } from "../../core/failure-report.ts";
import {
  type GoalResult,
  goalResult,
  isOfPerson,
  type Known,
  knownOf,
} from "../../core/goal-result.ts";
import { type GoalState, goalStatus } from "../../core/goal-status.ts";
import { parseFlat } from "../../core/json-text.ts";
import { shownLines } from "../../core/terminal-text.ts";
import { settRef } from "../../git/repository/refs.ts";
import type { Artefact } from "../../model/artefact.ts";
import type { ArtefactId, GoalId, InstanceName } from "../../model/ids.ts";
import { type Meaning, meaningIn } from "../../model/meaning.ts";
import { actorName } from "../../words/actor-name.ts";
import { costJson } from "../render/cost-text.ts";
import type { Suggest } from "../text/suggest.ts";
import { readHeads, readWhole } from "./artefacts.ts";
import { readGraph } from "./graph.ts";
import type { ReadingBoard } from "./reading-board.ts";
import { resultJson } from "./result.ts";

type Made = Extract<GraphNode, { kind: "artefact" }>;

/** An artefact in the order in which all were made. `by`: an agent's name, or a person's. */
export type Deed = {
  artefact: ArtefactId;
  at: string;
  by: string;
  is_person: boolean;
  type: string;
  structural_type: Artefact["structural_type"];
  version: number;
  sources: ArtefactId[];
  commit: string | null;
  summary: string;
  overwritten: boolean;
};

/**
 * `words`: why; empty for an approval without any. `meaning`: of a person's signature; null without
 * one.
 */
export type Verdict = {
  review: ArtefactId;
  about: ArtefactId;
  version: number;
  by: string;
  is_person: boolean;
  approves: boolean;
  words: string;
  meaning: Meaning | null;
  at: string;
};

/** `output`: the end of what it has printed or answered. */
export type Output = { artefact: ArtefactId; by: string; type: string; output: string };

/** `work`: all artefacts, the oldest first. */
export type GoalReport = {
  instance: InstanceName;
  result: GoalResult;
  text: string;
  posted_by: string;
  work: Deed[];
  verdicts: Verdict[];
  outputs: Output[];
  failures: Output[];
  costs: { agents: CostRow[]; models: CostRow[] };
  verify: { command: string; shows: string }[];
};
export type CostRow = { name: string } & ReturnType<typeof costJson>;

const maxTextCharacters = 20_000;
const outputLines = 30;
const outputCharacters = 4_000;

export async function readReport(
  board: ReadingBoard,
  goal: GoalId,
  { state, suggest }: { state: GoalState | undefined; suggest: Suggest },
): Promise<GoalReport> {
  const [graph, agents] = await Promise.all([readGraph(board, goal), board.listAgents()]);
  const result = goalResult(graph, state ?? (await storedState(board, goal)), agents);
  const all = graph.nodes.filter((node) => node.kind === "artefact");
  const known = knownOf(all, agents);
  const shown = all.filter(({ id, structural_type, logical_id }) =>
    structural_type === "Review" || structural_type === "Failure" || String(logical_id) === goal
      ? true
      : result.checks.some(({ artefact }) => artefact === id),
  );
  const whole = new Map<ArtefactId, string>();
  for await (const { id, payload } of readWhole(
    board,
    shown.map(({ id: one }) => one),
  ))
    whole.set(id, payload);
  const people = await peopleIn(board, result, all);
  const by = (made: Made) => nameOf(made, people);
  const newest = all.findLast(({ logical_id }) => String(logical_id) === goal);
  const { ended: calls } = await board.readCalls(goal);
  const rows = (costs: ReturnType<typeof costsBy>) =>
    [...costs].map(([name, cost]) => ({ name, ...costJson(cost) }));
  return {
    instance: board.instance,
    result,
    text: (whole.get(newest?.id ?? ("" as ArtefactId)) ?? "").slice(0, maxTextCharacters),
    posted_by: people.get(goal) ?? "a person",
    work: all.map((made) => deedOf(made, by(made))),
    verdicts: verdictsOf(all, known, { whole, by }),
    outputs: result.checks.flatMap(({ artefact }) => {
      const made = artefact === null ? undefined : known.byId.get(artefact);
      if (made === undefined || made.structural_type === "Review") return [];
      return [outputOf(made, by(made), whole)];
    }),
    failures: all
      .filter(({ structural_type }) => structural_type === "Failure")
      .map((made) => outputOf(made, by(made), whole)),
    costs: {
      agents: rows(costsBy(calls, ({ agent }) => agent)),
      models: rows(costsBy(calls, ({ model }) => model)),
    },
    verify: verifying(result, board.instance, suggest),
  };
}

/** As `sett report --format json` prints it. */
export function reportJson({ result, ...report }: GoalReport, suggest: Suggest) {
  return { ...report, result: resultJson(result, report.instance, suggest) };
}

/** The state of a goal that has ended: nothing waits in an archive. */
async function storedState(board: ReadingBoard, goal: GoalId): Promise<GoalState> {
  const artefacts = await readHeads(board, await board.listArtefactsOfGoal(goal));
  const ofEach = await Promise.all(artefacts.map(({ id }) => board.claimsOfArtefact(id)));
  const causes = new Map(artefacts.map(({ id }, at) => [id, ofEach[at] ?? new Map()]));
  const claims = await board.readClaims(ofEach.flatMap((ofArtefact) => [...ofArtefact.values()]));
  const { ended } = await board.readGoal(goal);
  return goalStatus({ goal, ended, artefacts, causes, openQuestions: new Set(), claims }).state;
}

function deedOf(made: Made, by: string): Deed {
  const { id, created_at, type, structural_type, version, source_artefacts, metadata } = made;
  return {
    ...{ artefact: id, at: created_at, by, is_person: isPersons(made), type, structural_type },
    ...{ version, sources: source_artefacts, commit: metadata.commit ?? null },
    ...{ summary: metadata.summary ?? "", overwritten: made.overwritten === true },
  };
}

function isPersons({ produced_by_agent, produced_by_role }: Made): boolean {
  return produced_by_agent === "" && produced_by_role === "user";
}

function nameOf(made: Made, people: ReadonlyMap<string, string>): string {
  return people.get(made.id) ?? (made.produced_by_agent || made.produced_by_role);
}

function verdictsOf(
  all: readonly Made[],
  known: Known,
  { whole, by }: { whole: ReadonlyMap<ArtefactId, string>; by: (made: Made) => string },
): Verdict[] {
  return all.flatMap((about) =>
    about.claims
      .flatMap(({ grants }) => grants)
      .flatMap((grant) =>
        answersIn(grant).flatMap((id) => {
          const review = known.byId.get(id);
          if (review?.structural_type !== "Review") return [];
          const approves = review.verdict === "approval";
          const ofPerson = isOfPerson(grant, known);
          const { by: person, comment } = review.metadata;
          const added =
            ofPerson && typeof comment === "string" ? comment.slice(0, maxTextCharacters) : "";
          return [
            {
              ...{ review: review.id, about: about.id, version: about.version },
              by: ofPerson ? actorName(`person:${person}`) : by(review),
              ...{ is_person: ofPerson, approves, at: review.created_at },
              meaning: ofPerson ? meaningIn(review.metadata) : null,
              words: approves ? added : feedbackIn(whole.get(review.id) ?? ""),
            },
          ];
        }),
      ),
  );
}

/** A person's reason without its JSON; an agent's feedback as it is. The beginning of either. */
function feedbackIn(payload: string): string {
  return (reasonIn(payload) ?? payload).slice(0, maxTextCharacters);
}

/** The `reason` of a Review that has nothing else; also where it is the text alone. */
export function reasonIn(payload: string): string | undefined {
  const value = parseFlat(payload, 1);
  if (typeof value === "string") return value;
  return OnlyReason.safeParse(value).data?.reason;
}

const OnlyReason = z.strictObject({ reason: z.string() });

function outputOf(
  { id, type, metadata }: Made,
  by: string,
  whole: ReadonlyMap<ArtefactId, string>,
): Output {
  const payload = whole.get(id) ?? "";
  const failure = failureReportIn(payload);
  const said =
    failure === undefined
      ? payload
      : [failure.reason, shownLines(failure.stdout), shownLines(failure.stderr)]
          .filter((part) => part !== "")
          .join("\n");
  return { artefact: id, by, type, output: endOf(said === "" ? (metadata.summary ?? "") : said) };
}

/** The last lines, after how many were left out. */
function endOf(text: string): string {
  const lines = text.trimEnd().split("\n");
  const end = lines.slice(-outputLines).join("\n").slice(-outputCharacters);
  const left = text.trimEnd().length - end.length;
  return left > 0 ? `… ${left} characters before\n${end}` : end;
}

/** Whose clock says when a goal was posted may be wrong by as much. */
const skewMs = 10 * 60_000;
const eventsAtOnce = 1_000;
const maxEvents = 50_000;

/**
 * The people who have posted artefacts, from the log: the records themselves do not name them. Only
 * the part of the log is read in which the goal went on.
 */
async function peopleIn(
  board: ReadingBoard,
  { begun_at, ended_at }: GoalResult,
  all: readonly Made[],
): Promise<Map<string, string>> {
  const wanted = new Set<string>(all.filter(isPersons).map(({ id }) => id));
  const people = new Map<string, string>();
  const endMs = ended_at === null ? Number.POSITIVE_INFINITY : Date.parse(ended_at) + skewMs;
  let from = `${Math.max(0, (Date.parse(begun_at) || 0) - skewMs)}-0`;
  for (let read = 0; read < maxEvents && people.size < wanted.size; read += eventsAtOnce) {
    const events = await board.readEvents(from, eventsAtOnce);
    for (const { type, artefact_id, actor } of events)
      if (type === "artefact_created" && artefact_id !== undefined && wanted.has(artefact_id))
        people.set(artefact_id, actorName(actor));
    const last = events.at(-1);
    if (last === undefined || Date.parse(last.time) > endMs) break;
    from = last.id;
  }
  return people;
}

function verifying(
  { goal, start, commits }: GoalResult,
  instance: InstanceName,
  suggest: Suggest,
): GoalReport["verify"] {
  return [
    { command: suggest(`graph ${goal}`), shows: "what was made from what" },
    { command: suggest(`watch --no-follow --goal ${goal}`), shows: "the log, each step" },
    ...commits.flatMap(({ artefact, commit }) => [
      {
        command: `git rev-parse ${settRef(instance, artefact)}`,
        shows: `must print ${commit}`,
      },
      ...(start === null
        ? []
        : [{ command: `git log -p ${start}..${commit}`, shows: "the commits, as they are" }]),
      { command: suggest(`unearth ${artefact}`), shows: "the artefact, with its warnings" },
    ]),
  ];
}

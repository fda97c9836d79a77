// One run: an instance, some goals, some faults; then rest, and the verdict of the checker.

import { sleep } from "../../lib/async/sleep.ts";
import { goalStatus } from "../../lib/core/goal-status.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import { messageOf } from "../../lib/model/errors.ts";
import type { GoalId } from "../../lib/model/ids.ts";
import { createJsonLog } from "../../lib/service/json-log.ts";
import { untilContact } from "../../lib/service/until-contact.ts";
import { sampleArtefact } from "../support/records/sample.ts";
import { waitFor } from "../support/wait-for.ts";
import { expectedBeside, graphOf } from "./clan.ts";
import { type Fault, type Plan, planOf } from "./faults.ts";
import { factsOf } from "./goal-facts.ts";
import { type History, readHistory } from "./history.ts";
import { checkHistory, type Violation } from "./history-checker.ts";
import { People } from "./people.ts";
import { randomOf } from "./random.ts";
import { Retrier } from "./retrier.ts";
import { Saboteur } from "./saboteur.ts";
import { startWorld, type World } from "./world.ts";

export type RunReport = {
  seed: number;
  seconds: number;
  goals: number;
  faults: string[];
  violations: Violation[];
  history: History;
  /** Holds the processes' logs; to be removed by the caller. */
  folder: string;
};

/**
 * Much longer than three attempts lost one after the other, each found out after its lease of 15 s,
 * on a machine that is busy with other things.
 */
const restWithinMs = 600_000;
const quietMs = 1_000;
/** The share of an agent's first attempts that fail. */
const failShare = 0.04;
/** The share of questions that people answer although an agent is asked. */
const impatience = 0.2;

const silent = createJsonLog(
  () => {},
  () => new Date(),
);

/** `start`: default as processes of this machine. Rejects when `signal` aborts. */
export async function runChaos(
  seed: number,
  signal: AbortSignal,
  kinds?: readonly Fault["kind"][],
  start: (options: { seed: number }) => Promise<World> = ({ seed }) =>
    startWorld({ seed, failShare: () => failShare }),
): Promise<RunReport> {
  const began = performance.now();
  const plan = planOf(seed, kinds);
  await using world = await start({ seed });
  const goals = plan.goalsAtMs.map((_, index) =>
    sampleArtefact({ payload: `Release 1.${index}.0` }),
  );
  const cancelled = sampleArtefact({ payload: "Release 2.0.0, or rather not." });
  const over = new AbortController();
  const saboteur = new Saboteur(world, plan.faults);
  const people = new People(world.board, randomOf(seed), impatience);
  const retrier = new Retrier(world.board, () => saboteur.isIdle);
  const ending = AbortSignal.any([over.signal, signal]);
  const doings = [saboteur.run(ending), people.run(ending), retrier.run(ending)];
  const late: Violation[] = [];
  try {
    const stated = goals.map((goal, index) =>
      state(world, goal, plan.goalsAtMs[index] ?? 0, signal),
    );
    await Promise.all([...stated, cancel(world, cancelled, plan.cancelled, signal)]);
    await untilRest(world, () => saboteur.isIdle && retrier.isIdle, signal).catch(
      (error: unknown) => {
        signal.throwIfAborted();
        late.push({ kind: "in limbo", rule: "everyRunComesToRest", sentence: messageOf(error) });
      },
    );
    signal.throwIfAborted();
  } catch (error) {
    await world.forgetLogs();
    throw error;
  } finally {
    over.abort();
    await Promise.all(doings);
  }
  const { history, violations } = await check(world, { goals, cancelled, people }, signal);
  const endings = await world.endings(history);
  return {
    seed,
    seconds: (performance.now() - began) / 1_000,
    goals: goals.length,
    faults: saboteur.done,
    violations: [...late, ...violations, ...endings],
    history,
    folder: world.folder,
  };
}

async function state(
  world: World,
  goal: Artefact,
  atMs: number,
  signal: AbortSignal,
): Promise<void> {
  await sleep(atMs, signal);
  await world.state(goal, signal);
}

async function cancel(
  world: World,
  goal: Artefact,
  { atMs, afterMs }: Plan["cancelled"],
  signal: AbortSignal,
): Promise<void> {
  await state(world, goal, atMs, signal);
  await sleep(afterMs, signal);
  const request = { type: "cancel_requested", goal_id: goal.goal_id } as const;
  await untilContact(() => world.board.logEvent(request, "person:chaos"), { signal, log: silent });
}

/**
 * Nothing is broken or has failed for good, no claim is open, the orchestrator has followed the log
 * to its end and owes no event, and nothing has happened for a while.
 */
async function untilRest(
  { board }: World,
  isWhole: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  let end = "";
  let since = 0;
  const isAtRest = async () => {
    signal.throwIfAborted();
    const [now, open, leader, { count: owed }] = await Promise.all([
      board.endOfEvents(),
      board.listOpenClaims(),
      board.readLeader(),
      board.listOwed(1),
    ]);
    const isFollowed = leader?.cursor === now && owed === 0;
    if (now !== end || open.length > 0 || !isFollowed || !isWhole()) since = performance.now();
    end = now;
    return performance.now() - since > quietMs;
  };
  await waitFor("the instance to come to rest", () => isAtRest().catch(orWhileAway), {
    timeoutMs: restWithinMs,
    everyMs: 200,
  });
}

function orWhileAway(error: unknown): false {
  if (error instanceof Error && "code" in error && error.code === "redis-unreachable") return false;
  throw error;
}

/** A rule may be broken for a moment while something is cleared away; what is wrong stays wrong. */
async function check(
  world: World,
  { goals, cancelled, people }: { goals: readonly Artefact[]; cancelled: Artefact; people: People },
  signal: AbortSignal,
): Promise<{ history: History; violations: Violation[] }> {
  for (let tries = 1; ; tries += 1) {
    const history = await readHistory(world.redis.url, world.board.instance);
    const ofGoals = goals.flatMap(({ goal_id }) => [...checkGoal(history, goal_id)]);
    const others = [...checkCancelled(history, cancelled.goal_id), ...checkPeople(history, people)];
    const violations = [...checkHistory(history), ...ofGoals, ...others];
    if (violations.length === 0 || tries === 5) return { history, violations };
    await sleep(500, signal);
  }
}

/** Each goal comes to what it would have come to without faults. */
function* checkGoal(history: History, goal: GoalId): Iterable<Violation> {
  const graph = graphOf(history, goal);
  const expected = expectedBeside(graph);
  const rule = "everyGoalIsReachedAllTheSame";
  const { state } = goalStatus(factsOf(history, goal));
  if (state !== "achieved") yield { kind: "lost", rule, sentence: `Goal ${goal} is ${state}.` };
  for (const line of expected)
    if (!graph.includes(line))
      yield { kind: "lost", rule, sentence: `Goal ${goal} lacks ${line}.` };
  const left = new Set(expected);
  for (const line of graph)
    if (!left.delete(line))
      yield { kind: "duplicated", rule, sentence: `Goal ${goal} has one too many: ${line}.` };
}

function* checkCancelled(history: History, goal: GoalId): Iterable<Violation> {
  const { state } = goalStatus(factsOf(history, goal));
  const rule = "cancelledGoalsStayCancelled";
  if (state !== "cancelled")
    yield { kind: "lost", rule, sentence: `Goal ${goal} was cancelled, and is ${state}.` };
}

/**
 * A person whose answer was accepted can rely on it, unless a Redis that was killed has lost its
 * last writes.
 */
function* checkPeople({ answers, artefacts }: History, { accepted }: People): Iterable<Violation> {
  const rule = "peopleLearnWhichAnswerCounts";
  for (const { question, answer } of accepted)
    if (artefacts.has(answer) && answers.get(question) !== String(answer))
      yield {
        kind: "lost",
        rule,
        sentence: `A person's answer ${answer} to ${question} was accepted, but ${answers.get(question)} counts.`,
      };
}

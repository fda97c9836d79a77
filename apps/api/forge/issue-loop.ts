// Keeps a comment on each issue for which a trigger has stated a goal, until the signal. What it
// knows is on record or at the forge, so that it may end at any moment.
import { z } from "zod";
import { sleep } from "../../../lib/async/sleep.ts";
import { failuresOf, type GoalReading, readGoalState } from "../../../lib/client/facts/goal.ts";
import { ValueFinder } from "../../../lib/forge/find-values.ts";
import { type Forge, ForgeError, type Pull } from "../../../lib/forge/port.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { KnownProblems } from "../../../lib/service/known-problems.ts";
import { commentIn } from "./comment-record.ts";
import { type ForgeParts, unknownForm } from "./forge-loop.ts";
import { keepComment } from "./issue-comment.ts";
import type { IssueFacts } from "./issue-text.ts";
import { branchOf } from "./pull-agent.ts";
import { forgeActor, type PullAgent } from "./settings.ts";

export type IssueParts = Pick<
  ForgeParts,
  "board" | "agents" | "forgeOf" | "secrets" | "now" | "log"
>;

/** Between two looks at the record. */
const sweepMs = 10_000;
/** A goal at which nothing changes is looked at less often. */
const lookMs = { first: 10_000, most: 60_000 };
/** A merge at the forge is seen by asking there; the first time comes sooner. */
const askMs = { first: 60_000, most: 60 * 60_000 };
const awayMs = 5_000;
const goalsAtOnce = 200;
/** A trigger may put its issue on record a moment after its goal. */
const newestAgain = 20;
/** Goals that have ended while the service was away are found among so many. */
const newestAtStart = 5_000;

/** `said`: what the record says of the goal, as text; it is compared. */
type Watched = {
  issue: string;
  at: number;
  afterMs: number;
  askAt: number;
  askAfterMs: number;
  said: string;
  pull: Pull | undefined;
};

type Due = {
  goal: GoalId;
  watched: Watched;
  place: { agent: PullAgent; forge: Forge; issue: number };
};

export class IssueLoop {
  readonly #parts: IssueParts;
  readonly #watched = new Map<GoalId, Watched>();
  /** Goals without a comment: refused by the forge, removed by a person, at another forge. */
  readonly #left = new Set<GoalId>();
  /** Forge → until when it is left alone. */
  readonly #busy = new Map<string, number>();
  readonly #problems = new KnownProblems();
  /** How many goals there were at the last look. */
  #goals: number | undefined;

  constructor(parts: IssueParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.tick();
      await sleep(sweepMs, signal);
    }
  }

  /** One look at every goal that is due. Never rejects. */
  async tick(): Promise<void> {
    const { board, now } = this.#parts;
    try {
      if ((await board.readPause()) !== undefined) return;
      await this.#find();
      const due = await this.#placed([...this.#watched].filter(([, { at }]) => at <= now()));
      const forges = Map.groupBy(due, ({ place }) => place.agent.forge);
      // A forge that does not answer keeps no other waiting.
      await Promise.all(
        [...forges].map(async ([name, ofOne]) => {
          for (const one of ofOne)
            if (now() >= (this.#busy.get(name) ?? 0)) await this.#safely(one);
        }),
      );
    } catch (error) {
      this.#say("record", messageOf(error));
    }
  }

  async #find(): Promise<void> {
    const { board } = this.#parts;
    const count = await board.countGoals();
    const newest = Math.min(this.#goals ?? count - newestAtStart, count - newestAgain);
    for (let from = Math.max(0, newest); from < count; from += goalsAtOnce)
      await this.#add(await board.listGoals({ from, count: goalsAtOnce }), { areOpen: false });
    this.#goals = count;
    const open = await board.listOpenClaims();
    for (let from = 0; from < open.length; from += goalsAtOnce) {
      const claims = await board.readClaims(open.slice(from, from + goalsAtOnce));
      const goals = new Set(claims.map(({ claim }) => claim.goal_id));
      await this.#add([...goals], { areOpen: true });
    }
  }

  /** `areOpen`: work on them goes on, also where it was over once. */
  async #add(goals: readonly GoalId[], { areOpen }: { areOpen: boolean }): Promise<void> {
    const { board, now } = this.#parts;
    const unknown = goals.filter((goal) => !this.#watched.has(goal) && !this.#left.has(goal));
    const records = await Promise.all(unknown.map((goal) => board.readGoal(goal)));
    for (const [at, goal] of unknown.entries()) {
      const { issue, comment } = records[at] ?? {};
      const known = commentIn(comment);
      if (issue === undefined || known?.state === "gone") continue;
      if (known?.state === "there" && known.is_over && !areOpen) continue;
      const begun = { issue, at: now(), afterMs: lookMs.first, said: "", pull: undefined };
      this.#watched.set(goal, { ...begun, askAt: now(), askAfterMs: askMs.first });
    }
  }

  async #placed(goals: readonly (readonly [GoalId, Watched])[]): Promise<Due[]> {
    const found: Due[] = [];
    const places = await Promise.all(this.#parts.agents.map((agent) => this.#place(agent)));
    const known = places.filter((place) => place !== undefined);
    for (const [goal, watched] of goals) {
      const place = known.find(({ forge }) => forge.issueAt(watched.issue) !== undefined);
      const issue = place?.forge.issueAt(watched.issue);
      if (place !== undefined && issue !== undefined)
        found.push({ goal, watched, place: { ...place, issue } });
      // A token that is not there yet may be that of its forge.
      else if (known.length === places.length) this.#leave(goal);
    }
    return found;
  }

  async #place(agent: PullAgent) {
    const ways = await this.#parts.forgeOf(agent);
    return ways === undefined ? undefined : { agent, forge: ways.forge };
  }

  #leave(goal: GoalId): void {
    this.#watched.delete(goal);
    this.#left.add(goal);
  }

  async #safely(due: Due): Promise<void> {
    const { goal, place } = due;
    try {
      await this.#look(due);
      this.#problems.forget(goal);
    } catch (error) {
      const isUnknown = error instanceof z.ZodError;
      this.#say(goal, messageOf(error));
      if (isUnknown || (error instanceof ForgeError && error.kind === "refused")) {
        this.#leave(goal);
        await this.#noteStop(due, isUnknown ? unknownForm : messageOf(error));
      } else if (error instanceof ForgeError)
        this.#busy.set(place.agent.forge, this.#parts.now() + Math.max(error.waitMs, awayMs));
    }
  }

  async #look({ goal, watched, place }: Due): Promise<void> {
    const { board, now } = this.#parts;
    const { artefacts, comment } = await board.readGoal(goal);
    // `sett prune` has moved it into a file.
    if (artefacts === 0) return this.#leave(goal);
    const known = await this.#factsOf(goal);
    const said = JSON.stringify(known);
    const isNew = said !== watched.said;
    const afterMs = isNew ? lookMs.first : Math.min(2 * watched.afterMs, lookMs.most);
    Object.assign(watched, { said, afterMs, at: now() + afterMs });
    if (isNew) Object.assign(watched, { askAt: now(), askAfterMs: askMs.first });
    const isAwaited = known.waitsFor === "review" && watched.pull?.state !== "open";
    if (isAwaited || now() >= watched.askAt) {
      watched.pull = await pullOf(place, goal);
      watched.askAt = now() + watched.askAfterMs;
      watched.askAfterMs = Math.min(2 * watched.askAfterMs, askMs.most);
    }
    const parts = { board, now, ...place };
    const facts = { ...known, pull: watched.pull };
    const kept = await keepComment(parts, facts, commentIn(comment));
    if (kept?.state === "gone") this.#leave(goal);
    else if (kept?.state === "there" && kept.is_over) this.#watched.delete(goal);
  }

  async #factsOf(goal: GoalId): Promise<Omit<IssueFacts, "pull">> {
    const reading = await readGoalState(this.#parts.board, goal);
    const { state, waitingFor } = reading.status;
    const builtIn = new Set<string>(this.#parts.agents.map(({ name }) => name));
    const approvals = waitingFor.filter((one) => one.kind === "approval");
    const waitsFor = waitingFor.some(({ kind }) => kind === "answer")
      ? "answer"
      : approvals.some(({ agent }) => builtIn.has(agent))
        ? "review"
        : approvals.length > 0
          ? "approval"
          : undefined;
    return { goal, state, waitsFor, failure: await this.#failureIn(reading) };
  }

  /** The words are an agent's: what has a secret stays here. */
  async #failureIn(reading: GoalReading): Promise<string | undefined> {
    const summary = failuresOf(reading).at(-1)?.metadata.summary;
    if (summary === undefined) return undefined;
    const finder = new ValueFinder(await this.#parts.secrets());
    finder.add(Buffer.from(summary));
    return finder.found === undefined ? summary : undefined;
  }

  async #noteStop({ goal, place }: Due, why: string): Promise<void> {
    const { agent } = place;
    try {
      await this.#parts.board.recordTrigger({
        record: { goal },
        mark: `forge:${agent.name}:comment`,
        value: why,
        event: {
          type: "forge_step",
          ...{ goal_id: goal, agent: agent.name },
          data: { forge: agent.forge, step: "comment", state: "stops", what: why },
        },
        actor: forgeActor(agent),
      });
    } catch (error) {
      this.#say("record", messageOf(error));
    }
  }

  #say(about: string, problem: string): void {
    if (!this.#problems.isNew(about, problem)) return;
    this.#parts.log.warn("Could not comment on an issue", { about, problem });
  }
}

/** That of the branch in the repository itself: the open one, or the newest. */
async function pullOf({ agent, forge }: Due["place"], goal: GoalId): Promise<Pull | undefined> {
  const { list } = await forge.pulls(branchOf(agent, goal));
  const own = list.filter(({ isOwn }) => isOwn);
  return own.find(({ state }) => state === "open") ?? own[0];
}

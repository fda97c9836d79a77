// One schedule: a seed becomes a world, goals and faults; everything is played until it has come to
// rest.
import type { State } from "../../lib/blackboard/memory/state.ts";
import { messageOf, SettError } from "../../lib/model/errors.ts";
import type { ArtefactId } from "../../lib/model/ids.ts";
import type { Policy } from "../../lib/model/policy.ts";
import { isAway } from "../../lib/service/until-contact.ts";
import { randomOf } from "../chaos/random.ts";
import { type Fault, faultsOf } from "./faults.ts";
import { inflict } from "./inflict.ts";
import { installVirtualGlobals } from "./virtual-globals.ts";
import { World } from "./world.ts";

/** After so much virtual time what has not come to rest never will. */
const maxMs = 900_000;
const lookEveryMs = 500;
/** Nothing is written for so long, and while people have looked so often for something to do. */
const quietMs = 1_000;
const quietLooks = 2;

export type Outcome = {
  seed: number;
  /** The faults that happened, in their order. */
  faults: readonly Fault[];
  scenario: string;
  policy: Policy;
  state: State;
  /** Undefined: it has come to rest. Otherwise what is left open, as a sentence. */
  limbo: string | undefined;
  /** Events that were planted by hand, as `textOfEvent`. */
  planted: ReadonlySet<string>;
  /** Goals that people posted, of which Redis may have lost some. */
  goals: readonly string[];
  cancelled: ReadonlySet<string>;
  /** Agents of which a cub was ended, frozen or cut off. */
  harmed: ReadonlySet<string>;
  /** Which answer counts, as people were answered. */
  accepted: readonly { question: ArtefactId; answer: ArtefactId }[];
  /** How often Redis has lost its last writes. */
  losses: number;
  /** Outcomes that only a mistake in a program can cause, and why programs ended by themselves. */
  mistakes: readonly string[];
  virtualMs: number;
  events: number;
  /** Equal for two schedules in which the same happened in the same order. */
  digest: string;
};

/** Returns all faults of a seed. */
export function plannedFaults(seed: number): Fault[] {
  return faultsOf(randomOf(Math.imul(seed, 16) + 7));
}

/** Without `faults`: all that the seed has planned. */
export function runSchedule(
  seed: number,
  {
    faults = plannedFaults(seed),
    trace,
  }: { faults?: readonly Fault[]; trace?: (line: string) => void } = {},
): Outcome {
  const world = new World(seed, trace);
  using _globals = installVirtualGlobals(world.scheduler, randomOf(Math.imul(seed, 16) + 8));
  const random = randomOf(Math.imul(seed, 16) + 9);
  world.start();
  const count = random.pick([1, 1, 2, 3, 4]);
  for (let goal = 0; goal < count; goal += 1)
    world.scheduler.at(random.between(0, 1_500), world.own, "goal", () => world.postGoal());
  // A due member of a claim that could not be read is deferred, and may still be due when that
  // claim is over. The same holds for what a person has written.
  const isDeferred = faults.some(
    (fault) => fault.kind === "poison" && (fault.what === "claim" || fault.what === "deadline"),
  );
  const rest = restOf(world, isDeferred);
  const postedMs = 1_600;
  inflict(world, faults, random, () => world.scheduler.at(postedMs, world.own, "look", rest.look));
  const isAtRest = world.scheduler.run(() => rest.isOver, maxMs);
  const { redis, scheduler } = world;
  // A cub that gives up a Redis that stays away ends by itself, and is started again.
  const givenUp = world.programs.filter(({ exits }) => exits.length > 0).map(({ name }) => name);
  const exits = world.programs.flatMap(({ name, exits: errors }) =>
    // A program may give up a Redis that stays away, or an agent whose registration a person has
    // damaged: it is started again.
    errors
      .filter((error) => !isAway(error) && !isDamaged(error))
      .map((error) => `${name} ended: ${messageOf(error)}`),
  );
  return {
    seed,
    faults,
    scenario: world.scenario.name,
    policy: world.scenario.policy,
    state: redis.state,
    limbo: isAtRest ? undefined : rest.problem || "Something is written again and again.",
    planted: world.planted,
    goals: world.goals.map(({ id }) => id),
    cancelled: world.cancelled,
    harmed: new Set([...world.harmed, ...givenUp]),
    accepted: world.people.accepted,
    losses: redis.losses,
    mistakes: [...world.mistakes, ...exits],
    virtualMs: scheduler.nowMs,
    events: scheduler.count,
    digest: scheduler.digest,
  };
}

function isDamaged(error: unknown): boolean {
  return error instanceof SettError && error.code === "environment-invalid";
}

/**
 * Nothing is open, the orchestrator has followed the log to its end, and nothing has been written
 * for a while.
 */
function restOf(world: World, isDeferred: boolean) {
  const { scheduler, redis, own, people } = world;
  const rest = { isOver: false, problem: "A fault has not ended.", look };
  let [end, sinceMs, looks] = ["", 0, 0];
  function look() {
    const { state } = redis;
    const last = state.events.at(-1)?.id ?? "0";
    const isDue = isDeferred && state.due.size > 0;
    rest.problem =
      openMatter(state) ??
      (isDue ? "Something is due." : people.isIdle ? "" : "People's requests are under way.");
    if (last !== end || rest.problem !== "")
      [end, sinceMs, looks] = [last, scheduler.nowMs, people.looks];
    if (scheduler.nowMs - sinceMs >= quietMs && people.looks - looks >= quietLooks)
      rest.isOver = true;
    // A request to resume may have been lost with Redis' last writes.
    if (state.pause !== undefined && people.isIdle) people.log({ type: "resume_requested" });
    scheduler.after(lookEveryMs, own, "look", look);
  }
  return rest;
}

function openMatter({
  openClaims,
  openQuestions,
  wakeUps,
  mail,
  agents,
  pause,
  leader,
  events,
  owed,
}: State): string | undefined {
  if (pause !== undefined) return "The instance is paused.";
  if (openClaims.size > 0) return `Open claims: ${[...openClaims].join(", ")}.`;
  if (openQuestions.size > 0) return `Open questions: ${[...openQuestions].join(", ")}.`;
  // An agent that has just started has not read them yet.
  const unread = [...wakeUps].flatMap(([agent, claims]) => (claims.length > 0 ? [agent] : []));
  if (unread.length > 0) return `Wake-ups are left for ${unread.join(", ")}.`;
  const unanswered = [...mail.out].flatMap(([agent, mails]) =>
    mails.length > 0 && agents.has(agent) ? [agent] : [],
  );
  if (unanswered.length > 0) return `Messages are left of ${unanswered.join(", ")}.`;
  if (owed.size > 0) return `Events are owed: ${[...owed.values()].join(", ")}.`;
  if (leader.cursor !== (events.at(-1)?.id ?? "0")) return `The cursor stays at ${leader.cursor}.`;
  return undefined;
}

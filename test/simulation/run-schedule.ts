// One schedule: a seed becomes a world, goals and faults; everything is played until it has come to
// rest.
import { storedKinds } from "../../lib/blackboard/records/due-member.ts";
import { messageOf, SettError } from "../../lib/model/errors.ts";
import { type AgentName, type ArtefactId, GoalId } from "../../lib/model/ids.ts";
import type { Policy } from "../../lib/model/policy.ts";
import { isAway } from "../../lib/service/until-contact.ts";
import type { History } from "../chaos/history.ts";
import { randomOf } from "../chaos/random.ts";
import { type Fault, faultsOf, workerFaults } from "./faults.ts";
import { inflict } from "./inflict.ts";
import {
  agentsOf,
  endOfEvents,
  hashAt,
  historyIn,
  membersOf,
  openClaims,
  sendersOf,
} from "./on-record.ts";
import type { SimulatedRedis } from "./simulated-redis.ts";
import { installVirtualGlobals } from "./virtual-globals.ts";
import { type Kind, World } from "./world.ts";

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
  readonly history: History;
  /** Undefined: it has come to rest. Otherwise what is left open, as a sentence. */
  limbo: string | undefined;
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
export function plannedFaults(seed: number, kind?: Kind): Fault[] {
  const usual = faultsOf(randomOf(Math.imul(seed, 16) + 7));
  if (kind !== "workers") return usual;
  const random = randomOf(Math.imul(seed, 16) + 13);
  const ofWorkers = workerFaults(random);
  // Many of the usual ones excuse whatever is lost.
  return random.chance(0.5) ? ofWorkers : [...usual, ...ofWorkers];
}

/** Without `faults`: all that the seed has planned. `kind`: of its world. */
export function runSchedule(
  seed: number,
  {
    kind,
    faults = plannedFaults(seed, kind),
    trace,
  }: { faults?: readonly Fault[]; trace?: (line: string) => void; kind?: Kind } = {},
): Outcome {
  const world = new World(seed, trace, kind);
  const chances = {
    random: randomOf(Math.imul(seed, 16) + 8),
    salts: randomOf(Math.imul(seed, 16) + 12),
  };
  using _globals = installVirtualGlobals(world.scheduler, chances);
  const random = randomOf(Math.imul(seed, 16) + 9);
  world.start();
  const count = random.pick([1, 1, 2, 3, 4]);
  for (let goal = 0; goal < count; goal += 1)
    world.scheduler.at(random.between(0, 1_500), world.own, "goal", () => world.postGoal());
  // What was due of a claim that could not be read is deferred, and may still be due when that
  // claim is over. So is what a person has written.
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
    get history() {
      return historyIn(redis);
    },
    limbo: isAtRest ? undefined : rest.problem || "Something is written again and again.",
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
    const last = endOfEvents(redis);
    const isDue =
      isDeferred &&
      storedKinds.some((kind) => membersOf(redis, redis.keys.dueOfKind(kind)).length > 0);
    rest.problem =
      openMatter(redis) ??
      (isDue ? "Something is due." : people.isIdle ? "" : "People's requests are under way.");
    if (last !== end || rest.problem !== "")
      [end, sinceMs, looks] = [last, scheduler.nowMs, people.looks];
    if (scheduler.nowMs - sinceMs >= quietMs && people.looks - looks >= quietLooks)
      rest.isOver = true;
    // A request to resume may have been lost with Redis' last writes.
    if (hashAt(redis, redis.keys.orchestrator).has("paused_since") && people.isIdle)
      people.log({ type: "resume_requested" });
    if (people.isIdle)
      for (const goal of hashAt(redis, redis.keys.pausedGoals).keys())
        people.askOf(GoalId.parse(goal), "resume_requested");
    scheduler.after(lookEveryMs, own, "look", look);
  }
  return rest;
}

function openMatter(redis: SimulatedRedis): string | undefined {
  const { database } = redis.server;
  const { keys } = redis;
  const leader = hashAt(redis, keys.orchestrator);
  if (leader.has("paused_since")) return "The instance is paused.";
  const [paused] = hashAt(redis, keys.pausedGoals).keys();
  if (paused !== undefined) return `Goal ${paused} is paused.`;
  const open = openClaims(redis);
  if (open.length > 0) return `Open claims: ${open.join(", ")}.`;
  const questions = membersOf(redis, keys.openQuestions);
  if (questions.length > 0) return `Open questions: ${questions.join(", ")}.`;
  // An agent that has just started has not read them yet.
  const unread = sendersOf(redis).filter(
    (agent) => database.readList(keys.agentGrants(agent)) !== undefined,
  );
  if (unread.length > 0) return `Wake-ups are left for ${unread.join(", ")}.`;
  const hasMail = (agent: AgentName) =>
    (database.readStream(keys.mailOut(agent))?.entries.length ?? 0) > 0;
  const unanswered = agentsOf(redis).filter(hasMail);
  if (unanswered.length > 0) return `Messages are left of ${unanswered.join(", ")}.`;
  const owed = hashAt(redis, keys.owedEvents);
  if (owed.size > 0) return `Events are owed: ${[...owed.values()].join(", ")}.`;
  const cursor = leader.get("cursor");
  if (cursor !== endOfEvents(redis)) return `The cursor stays at ${cursor}.`;
  return undefined;
}

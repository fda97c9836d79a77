// Has the faults of a plan happen, each at its time, and repairs everything at the end.

import type { Claim } from "../../lib/model/claim.ts";
import { SettError } from "../../lib/model/errors.ts";
import type { ArtefactId } from "../../lib/model/ids.ts";
import { unreachable } from "../../lib/model/unreachable.ts";
import { type Random, randomOf } from "../chaos/random.ts";
import type { Fault } from "./faults.ts";
import { forge } from "./forge.ts";
import { artefactIds, claimsOf, hashAt, sendersOf } from "./on-record.ts";
import { mendClaim, poison } from "./poison.ts";
import type { RunningWorker } from "./simulated-engine.ts";
import type { SimulatedRedis } from "./simulated-redis.ts";
import type { Supervised } from "./supervised.ts";
import type { World } from "./world.ts";

const maxLossMs = 1_000;
/** How long a program that is asked to stop may take. */
const stopWithinMs = 4_000;
const forMsOf = (fault: Fault) =>
  "forMs" in fault ? fault.forMs : "downMs" in fault ? fault.downMs : 0;

/**
 * Plans all of them. When the last has ended, everything is repaired; `onOver` is called after
 * that.
 */
export function inflict(
  world: World,
  faults: readonly Fault[],
  random: Random,
  onOver: () => void,
): void {
  const { scheduler, own } = world;
  let left = faults.length + 1;
  const end = () => {
    left -= 1;
    if (left > 0) return;
    repair(world, faults);
    onOver();
  };
  scheduler.after(0, own, "no more goals", end);
  for (const fault of faults) {
    const begin = () => {
      happen(world, fault, random);
      scheduler.after(forMsOf(fault) + 100, own, "over", end);
    };
    once(world, fault, begin);
  }
}

/** At the fault's moment. Before a crash of Redis, what it will have kept is saved. */
function once(world: World, fault: Fault, begin: () => void): void {
  const { redis, scheduler, own } = world;
  let hasBegun = false;
  const beginOnce = () => {
    if (hasBegun) return;
    hasBegun = true;
    begin();
  };
  const { atMs, atWrite } = fault;
  if (fault.kind === "crash redis" && fault.lossWrites > 0) {
    // A disk is never more than a second behind.
    const save = () => {
      if (hasBegun) return;
      redis.save();
      scheduler.after(maxLossMs, own, "save", save);
    };
    if (atWrite === undefined) scheduler.at(Math.max(0, atMs - maxLossMs / 2), own, "save", save);
    else redis.afterWrites(Math.max(0, atWrite - fault.lossWrites), save);
  }
  // In an event of its own, between two others.
  if (atWrite !== undefined)
    redis.afterWrites(atWrite, () =>
      scheduler.after(scheduler.random.between(0, 2), own, `fault: ${fault.kind}`, beginOnce),
    );
  scheduler.at(atMs, own, `fault: ${fault.kind}`, beginOnce);
}

function happen(world: World, fault: Fault, random: Random): void {
  const { redis, scheduler, own } = world;
  const later = (job: () => void) =>
    scheduler.after(forMsOf(fault), own, `end of fault: ${fault.kind}`, job);
  switch (fault.kind) {
    case "crash":
    case "stop": {
      const program = victimOf(world, fault.target);
      if (fault.kind === "crash") program.crash();
      else program.stop(stopWithinMs);
      return void later(() => world.startProgram(program));
    }
    case "pause": {
      const program = victimOf(world, fault.target);
      program.pause();
      return void later(() => program.resume());
    }
    case "cut off": {
      const { name } = victimOf(world, fault.target);
      redis.cutOff.add(name);
      disconnect(world, name);
      return void later(() => redis.cutOff.delete(name));
    }
    case "disconnect":
      return disconnect(world, programOf(world, fault.target).name);
    case "crash redis":
      redis.crash();
      return void later(() => redis.restart());
    case "pause redis":
      redis.pause();
      return void later(() => redis.resume());
    case "refuse writes":
      redis.refusal = fault.refusal;
      return void later(() => {
        redis.refusal = undefined;
      });
    case "refuse a function":
      redis.outOfOrder.add(fault.name);
      return void later(() => redis.outOfOrder.delete(fault.name));
    case "set redis' clock":
      redis.clockMs += fault.byMs;
      return;
    case "set clock":
      return programOf(world, fault.target).setClock(fault.byMs);
    case "lose wake-ups":
      return loseWakeUps(world, scheduler.nowMs + fault.forMs);
    case "lose hints":
      redis.messageLoss = 0.7;
      return void later(() => {
        redis.messageLoss = 0;
      });
    case "repeat wake-ups":
      return repeatWakeUps(world);
    case "another orchestrator": {
      const holder = hashAt(redis, redis.keys.orchestrator).get("holder");
      const another = fault.isNamesake
        ? world.orchestrator(holder || "one", "namesake")
        : world.orchestrator("three");
      another.start();
      return void later(() => (random.chance(0.5) ? another.crash() : another.stop(stopWithinMs)));
    }
    case "another cub": {
      const agents = world.registrations.filter(({ name }) => world.tools.has(name));
      const agent = agents[fault.target % Math.max(1, agents.length)];
      if (agent === undefined) return;
      const another = world.cub(agent, `another ${agent.name}`);
      another.start();
      world.harmed.add(agent.name);
      return void later(() => (random.chance(0.5) ? another.crash() : another.stop(stopWithinMs)));
    }
    case "poison":
      return poison(world, fault, random);
    case "forge mail":
      return forge(world, `forged-${fault.choice}`, randomOf(fault.choice));
    case "up without an agent":
      return upWithout(world, fault.target, later);
    case "up with other rules":
      return upWithOtherRules(world, fault.target, later);
    case "break tool": {
      const tool = [...world.tools.values()][fault.target % world.tools.size];
      if (tool !== undefined) tool.isBroken = true;
      return void later(() => {
        if (tool !== undefined) tool.isBroken = false;
      });
    }
    case "pause instance":
      world.people.log({ type: "pause_requested" });
      return void later(() => world.people.log({ type: "resume_requested" }));
    case "pause goal": {
      const goal = world.goals[fault.target % Math.max(1, world.goals.length)]?.goal_id;
      if (goal === undefined) return;
      world.people.askOf(goal, "pause_requested");
      return void later(() => world.people.askOf(goal, "resume_requested"));
    }
    case "kill worker":
    case "disconnect worker":
    case "pause worker":
    case "lose worker":
      return world.engine.onWorker((worker) => {
        world.harmed.add(worker.agent);
        scheduler.after(fault.afterMs, own, fault.kind, () => befall(world, fault, worker));
      });
    case "engine away":
      return engineAway(world, fault.isCluster, later);
    case "cancel": {
      const goal = world.goals[fault.target % Math.max(1, world.goals.length)];
      if (goal === undefined) return;
      world.cancelled.add(goal.goal_id);
      return world.people.askOf(goal.goal_id, "cancel_requested");
    }
    case "retry at once": {
      const fieldsOf = (id: ArtefactId) => hashAt(redis, redis.keys.artefact(id));
      const failures = artefactIds(redis).filter(
        (id) => fieldsOf(id).get("structural_type") === "Failure",
      );
      const id = failures[fault.target % Math.max(1, failures.length)];
      if (id === undefined) return;
      const goal = world.goals.find((one) => one.goal_id === fieldsOf(id).get("goal_id"));
      if (goal !== undefined)
        world.people.log({ type: "retry_requested", goal_id: goal.goal_id, artefact_id: id });
      return;
    }
    case "post a version": {
      const made = artefactIds(redis).filter((id) => {
        const fields = hashAt(redis, redis.keys.artefact(id));
        return fields.get("structural_type") === "Standard" && fields.get("claim_id") !== "";
      });
      const id = made[fault.target % Math.max(1, made.length)];
      if (id !== undefined) world.people.postVersion(id);
      return;
    }
    default:
      return unreachable(fault);
  }
}

type WorkerFault = Extract<Fault, { afterMs: number }>;

/** It may have ended by itself meanwhile. */
function befall(world: World, fault: WorkerFault, worker: RunningWorker): void {
  const { scheduler, own } = world;
  switch (fault.kind) {
    case "kill worker":
      return worker.end();
    case "disconnect worker":
      return disconnect(world, worker.life.name);
    case "pause worker":
      worker.life.pause();
      return void scheduler.after(fault.forMs, own, "resume worker", () =>
        scheduler.resume(worker.life),
      );
    case "lose worker":
      worker.vanish();
      return void scheduler.after(fault.forMs, own, "end of a lost worker", () =>
        worker.life.end(),
      );
    default:
      return unreachable(fault);
  }
}

/** A cluster is waited for. What a Docker Engine should start is lost after three tries. */
function engineAway(world: World, isCluster: boolean, later: (job: () => void) => void): void {
  const code = isCluster ? "kubernetes-unreachable" : "docker-unreachable";
  world.engine.away = new SettError(code, "It does not answer.");
  if (!isCluster) for (const { agent } of world.scales) world.harmed.add(agent);
  later(() => {
    world.engine.away = undefined;
  });
}

/** Whatever is broken still, because faults overlapped, is whole from now on. */
function repair(world: World, faults: readonly Fault[]): void {
  const { redis, people } = world;
  redis.resume();
  redis.restart();
  redis.refusal = undefined;
  redis.outOfOrder.clear();
  redis.messageLoss = 0;
  redis.cutOff.clear();
  world.engine.away = undefined;
  for (const tool of world.tools.values()) tool.isBroken = false;
  world.removed.clear();
  for (const program of world.programs) {
    program.resume();
    program.start();
  }
  for (const claim of world.broken) mendClaim(redis, claim);
  if (
    faults.some(({ kind }) => kind.startsWith("up ") || kind === "crash redis" || kind === "poison")
  )
    up(world);
  if (faults.some(({ kind }) => kind === "pause instance"))
    people.log({ type: "resume_requested" });
}

function programOf({ programs }: World, target: number): Supervised {
  const [first] = programs;
  const program = programs[target % programs.length] ?? first;
  if (program === undefined) throw new Error("There are no programs.");
  return program;
}

function victimOf(world: World, target: number): Supervised {
  const program = programOf(world, target);
  if (world.tools.has(program.name)) world.harmed.add(program.name);
  return program;
}

/** Requests that were under way may have arrived, or not. */
function disconnect({ redis }: World, name: string): void {
  for (const client of [...redis.clients])
    if (client.life.name === name) client.breakSoon("Socket closed unexpectedly");
}

function loseWakeUps(world: World, untilMs: number): void {
  const { redis, scheduler, own } = world;
  for (const agent of sendersOf(redis)) redis.hand("DEL", redis.keys.agentGrants(agent));
  if (scheduler.nowMs < untilMs)
    scheduler.after(7, own, "lose wake-ups", () => loseWakeUps(world, untilMs));
}

/** Repeats the wake-up of everything that is or was granted, and of every claim. */
function repeatWakeUps({ redis, tools }: World): void {
  const { keys } = redis;
  for (const { claim, grants } of claimsOf(redis)) {
    for (const { agent } of grants) {
      if (!tools.has(agent)) continue;
      redis.hand("LPUSH", keys.agentGrants(agent), claim.id);
      redis.hand("RPUSH", keys.agentGrants(agent), claim.id);
    }
    announceAgain(redis, claim);
  }
  for (const id of artefactIds(redis)) redis.hand("PUBLISH", keys.artefactChannel, id);
}

function announceAgain(redis: SimulatedRedis, { id, artefact_id, electorate }: Claim): void {
  const target = hashAt(redis, redis.keys.artefact(artefact_id));
  const about = {
    artefact_id,
    type: target.get("type"),
    produced_by_role: target.get("produced_by_role"),
    missing: electorate,
  };
  const { announcements } = redis.keys;
  const place = redis.hand("XADD", announcements, "*", "claim", id, "about", JSON.stringify(about));
  redis.hand("PUBLISH", announcements, String(place));
}

function up(world: World): void {
  const { registrations } = world;
  world.people.ask((board) => board.registerAgents(registrations, "person:Ada", { exact: true }));
}

function upWithout(world: World, target: number, later: (job: () => void) => void): void {
  const cubs = world.programs.slice(2);
  const cub = cubs[target % cubs.length];
  if (cub === undefined) return;
  world.removed.add(cub.name);
  world.harmed.add(cub.name);
  cub.stop(stopWithinMs);
  up(world);
  later(() => {
    world.removed.delete(cub.name);
    up(world);
    cub.start();
  });
}

/** It wants nothing for a while; the cub reads its registration when it connects. */
function upWithOtherRules(world: World, target: number, later: (job: () => void) => void): void {
  const { members } = world.scenario;
  const member = members[target % members.length];
  if (member === undefined) return;
  const { name } = member.registration;
  const others = world.registrations.map((one) =>
    one.name === name
      ? { ...one, bids: [{ on: "Nothing", bid: "claim" as const }], retries: 0 }
      : one,
  );
  world.people.ask((board) => board.registerAgents(others, "person:Ada", { exact: true }));
  later(() => up(world));
}

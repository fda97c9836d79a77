// Draws from the seed what goes wrong in a schedule, before anything has happened.
import type { Random } from "../chaos/random.ts";
import type { Refusal } from "./simulated-redis.ts";

/**
 * `atWrite`: after so many requests to write, but at `atMs` at the latest; so a fault falls into
 * the middle of work. `target`: an index into the programs, counted around. `lossWrites`: from how
 * many writes before is what Redis loses. `afterMs`: after a worker has started. Times are virtual
 * milliseconds.
 */
export type Fault = { atMs: number; atWrite?: number } & (
  | { kind: "crash" | "stop"; target: number; downMs: number }
  | { kind: "pause" | "cut off"; target: number; forMs: number }
  | { kind: "disconnect"; target: number }
  | { kind: "crash redis"; lossWrites: number; downMs: number }
  | { kind: "pause redis"; forMs: number }
  | { kind: "refuse writes"; refusal: Refusal; forMs: number }
  | { kind: "set redis' clock"; byMs: number }
  | { kind: "set clock"; target: number; byMs: number }
  | { kind: "refuse a function"; name: (typeof refusable)[number]; forMs: number }
  | { kind: "lose wake-ups" | "lose hints"; forMs: number }
  | { kind: "repeat wake-ups" }
  | { kind: "another orchestrator"; isNamesake: boolean; forMs: number }
  | { kind: "another cub"; target: number; forMs: number }
  | { kind: "poison"; what: Poison; choice: number }
  | { kind: "forge mail"; choice: number }
  | { kind: "up without an agent" | "up with other rules"; target: number; forMs: number }
  | { kind: "break tool"; target: number; forMs: number }
  | { kind: "pause instance"; forMs: number }
  | { kind: "pause goal"; target: number; forMs: number }
  | { kind: "kill worker" | "disconnect worker"; afterMs: number }
  | { kind: "pause worker" | "lose worker"; afterMs: number; forMs: number }
  | { kind: "engine away"; isCluster: boolean; forMs: number }
  | { kind: "cancel" | "retry at once" | "post a version"; target: number }
);

/**
 * The calls by which the orchestrator writes. Each fails, as that of a function which meets what
 * its author did not foresee.
 */
const refusable = [
  "openClaim",
  "openClaim",
  "endGoal",
  "setPaused",
  "commitClaim",
  "postAsLeader",
  "askPeople",
  "placeBid",
  "acceptGrant",
  "finishGrant",
  "answerMail",
  "clearDue",
  "moveCursor",
  "oweEvent",
  "settleOwed",
] as const;

export type Poison =
  | "event"
  | "announcement"
  | "deadline"
  | "artefact"
  | "hint"
  | "registration"
  | "claim";

type Draw = (
  random: Random,
) => Fault extends infer One ? (One extends Fault ? Omit<One, "atMs" | "atWrite"> : never) : never;

const target = (random: Random) => random.whole(0, 11);
/** Some longer than any lease, most of them short. */
const longMs = (random: Random) =>
  random.chance(0.4) ? random.between(4_000, 25_000) : random.between(50, 4_000);
/** At times longer than a program waits for Redis before it ends. */
const downMs = (random: Random) => random.between(0, 8_000) * (random.chance(0.1) ? 12 : 1);
/** Before it has connected, while it works, and when it may have ended. */
const afterMs = (random: Random) => random.pick([random.between(0, 30), random.between(0, 600)]);
const stepMs = (random: Random) =>
  Math.round((random.chance(0.5) ? 1 : -1) * random.pick([300, 2_000, 20_000, 3_600_000]));

/**
 * No usual schedule pauses a goal: one kind more in the list below would give all seeds other
 * schedules.
 */
export function goalPauses(random: Random): Fault[] {
  return Array.from({ length: random.whole(1, 4) }, () => ({
    kind: "pause goal",
    atMs: random.between(300, 3_000),
    target: target(random),
    forMs: random.between(100, 12_000),
  }));
}

const engineAway: Draw = (random) => ({
  kind: "engine away",
  isCluster: random.chance(0.7),
  forMs: longMs(random),
});

const workerDraws: readonly [Draw, ...Draw[]] = [
  (random) => ({ kind: "kill worker", afterMs: afterMs(random) }),
  (random) => ({ kind: "kill worker", afterMs: afterMs(random) }),
  (random) => ({ kind: "disconnect worker", afterMs: afterMs(random) }),
  (random) => ({ kind: "pause worker", afterMs: afterMs(random), forMs: longMs(random) }),
  (random) => ({ kind: "lose worker", afterMs: afterMs(random), forMs: longMs(random) }),
  (random) => ({ kind: "lose worker", afterMs: afterMs(random), forMs: longMs(random) }),
  engineAway,
  (random) => ({ kind: "another cub", target: target(random), forMs: longMs(random) }),
];

/**
 * These befall workers and their engine, and cubs of which a second one runs elsewhere. Where the
 * engine alone is away, no work may be lost.
 */
export function workerFaults(random: Random): Fault[] {
  const draw: () => Draw = random.chance(0.3) ? () => engineAway : () => random.pick(workerDraws);
  return Array.from({ length: random.whole(1, 4) }, () => ({
    atMs: random.between(5, 3_000),
    ...draw()(random),
  }));
}

/** The more often it is in the list, the more often it is drawn. */
const draws: readonly [Draw, ...Draw[]] = [
  (random) => ({ kind: "crash", target: target(random), downMs: random.between(0, 3_000) }),
  (random) => ({ kind: "crash", target: target(random), downMs: random.between(0, 3_000) }),
  (random) => ({ kind: "crash", target: random.whole(0, 1), downMs: random.between(0, 3_000) }),
  (random) => ({ kind: "stop", target: target(random), downMs: random.between(0, 3_000) }),
  (random) => ({ kind: "pause", target: target(random), forMs: longMs(random) }),
  (random) => ({ kind: "pause", target: random.whole(0, 1), forMs: longMs(random) }),
  (random) => ({ kind: "cut off", target: target(random), forMs: longMs(random) }),
  (random) => ({ kind: "disconnect", target: target(random) }),
  (random) => ({ kind: "disconnect", target: target(random) }),
  (random) => ({
    kind: "crash redis",
    lossWrites: random.whole(1, 25),
    downMs: random.between(0, 2_000),
  }),
  (random) => ({
    kind: "crash redis",
    lossWrites: random.whole(1, 25),
    downMs: random.between(0, 2_000),
  }),
  (random) => ({ kind: "crash redis", lossWrites: 0, downMs: downMs(random) }),
  (random) => ({ kind: "pause redis", forMs: random.between(50, 8_000) }),
  (random) => ({
    kind: "refuse writes",
    refusal: random.pick(["OOM", "MISCONF"]),
    forMs: random.between(50, 8_000),
  }),
  (random) => ({ kind: "set redis' clock", byMs: stepMs(random) }),
  (random) => ({ kind: "set clock", target: target(random), byMs: stepMs(random) }),
  (random) => ({ kind: "lose wake-ups", forMs: random.between(0, 2_000) }),
  (random) => ({ kind: "lose hints", forMs: random.between(0, 5_000) }),
  () => ({ kind: "repeat wake-ups" }),
  (random) => ({
    kind: "another orchestrator",
    isNamesake: random.chance(0.6),
    forMs: random.between(500, 9_000),
  }),
  (random) => ({ kind: "another cub", target: target(random), forMs: random.between(200, 6_000) }),
  (random) => ({ kind: "poison", what: random.pick(poisons), choice: random.whole(0, 99) }),
  (random) => ({ kind: "poison", what: random.pick(poisons), choice: random.whole(0, 99) }),
  (random) => ({ kind: "forge mail", choice: random.whole(0, 2 ** 31) }),
  (random) => ({ kind: "forge mail", choice: random.whole(0, 2 ** 31) }),
  (random) => ({
    kind: "up without an agent",
    target: target(random),
    forMs: random.between(200, 6_000),
  }),
  (random) => ({
    kind: "up with other rules",
    target: target(random),
    forMs: random.between(200, 6_000),
  }),
  (random) => ({ kind: "break tool", target: target(random), forMs: random.between(200, 12_000) }),
  (random) => ({ kind: "pause instance", forMs: random.between(100, 6_000) }),
  (random) => ({ kind: "cancel", target: target(random) }),
  (random) => ({ kind: "retry at once", target: target(random) }),
];

const poisons: readonly [Poison, ...Poison[]] = [
  "event",
  "announcement",
  "deadline",
  "artefact",
  "hint",
  "registration",
  "claim",
];

/** Most come while the goals are young. */
export function faultsOf(random: Random): Fault[] {
  const count = random.pick([0, 1, 1, 2, 2, 3, 3, 4, 5, 6]);
  const [first, ...rest] = draws;
  const faults = Array.from({ length: count }, () => {
    const atMs = random.chance(0.8) ? random.between(5, 2_500) : random.between(2_500, 15_000);
    const moment = random.chance(0.6) ? { atMs: 4_000, atWrite: random.whole(3, 160) } : { atMs };
    return { ...moment, ...random.pick([first, ...rest])(random) };
  });
  const forged = faults.filter(() => random.chance(0.3)).map((fault) => mailBeside(fault, random));
  const inOrder = [...faults, ...forged].toSorted((one, other) => one.atMs - other.atMs);
  // Drawn last, and after the others: they stay as they are, whatever is drawn here.
  if (count > 0 && random.chance(0.2)) {
    const isEarly = random.chance(0.5);
    const moment = isEarly
      ? { atMs: random.between(0, 600) }
      : { atMs: 4_000, atWrite: random.whole(3, 160) };
    inOrder.push({
      ...moment,
      kind: "refuse a function",
      name: random.pick(refusable),
      forMs: random.between(50, 20_000),
    });
  }
  // Drawn after that, for the same reason.
  if (count > 0 && random.chance(0.15)) {
    const moment = { atMs: 4_000, atWrite: random.whole(30, 160) };
    inOrder.push({ ...moment, kind: "post a version", target: random.whole(0, 99) });
  }
  return inOrder;
}

/** A message that is applied just then is the one that is read twice, or refused, or lost. */
function mailBeside({ atMs, atWrite }: Fault, random: Random): Fault {
  const moment =
    atWrite === undefined
      ? { atMs: atMs + random.between(0, 300) }
      : { atMs, atWrite: atWrite + random.whole(0, 10) };
  return { ...moment, kind: "forge mail", choice: random.whole(0, 2 ** 31) };
}

export function textOf({ kind, atMs, atWrite, ...more }: Fault): string {
  const details = Object.entries(more).map(
    ([name, value]) => `${name} ${typeof value === "number" ? Math.round(value) : value}`,
  );
  const moment = atWrite === undefined ? `${(atMs / 1_000).toFixed(3)} s` : `write ${atWrite}`;
  return [`${moment}: ${kind}`, ...details].join(", ");
}

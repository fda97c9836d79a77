// What breaks during a run, and when. Moments are places in the log rather than times, so that faults fall into work and not into waiting.
import { unreachable } from "../../lib/model/unreachable.ts";
import { clan } from "./clan.ts";
import { type Random, randomOf } from "./random.ts";

export type Fault =
  /** `agent` is meant when nobody is at work; otherwise one of those who are is. */
  | { kind: "kill cub"; agent: string; downMs: 0 }
  | { kind: "freeze cub"; agent: string; downMs: number }
  /** The one that leads, or the other. */
  | { kind: "kill orchestrator"; whom: "leader" | "standby"; downMs: 0 }
  | { kind: "freeze orchestrator"; whom: "leader" | "standby"; downMs: number }
  | { kind: "kill redis"; downMs: number }
  | { kind: "freeze redis"; downMs: number };

/** `afterEvents`: how many events of the log come before it. */
export type PlannedFault = Fault & { afterEvents: number; delayMs: number };

export type Plan = {
  /** When each goal is stated, milliseconds from the start. */
  goalsAtMs: number[];
  /** One more goal, which is cancelled on the way. */
  cancelled: { atMs: number; afterMs: number };
  faults: PlannedFault[];
};

/** A goal without faults brings about so many events. */
const eventsOfGoal = 130;

export function planOf(seed: number): Plan {
  const random = randomOf(seed);
  const goals = random.whole(2, 4);
  // Some come when what was frozen wakes up, so that it finds work to spoil.
  const goalsAtMs = Array.from({ length: goals }, () =>
    random.chance(0.6) ? random.between(0, 1_500) : random.between(5_000, 10_000),
  );
  const faults = Array.from({ length: random.whole(2, 5) }, (): PlannedFault => {
    const afterEvents = random.whole(clan.length + 3, goals * eventsOfGoal);
    // Some at once, some in the middle of what the event has set going.
    const delayMs = random.chance(0.5) ? 0 : random.between(0, 40);
    return { ...faultOf(random), afterEvents, delayMs };
  });
  return {
    goalsAtMs: goalsAtMs.toSorted((a, b) => a - b),
    cancelled: { atMs: random.between(0, 2_000), afterMs: random.between(100, 3_000) },
    faults: faults.toSorted((a, b) => a.afterEvents - b.afterEvents),
  };
}

function faultOf(random: Random): Fault {
  const agent = clan[random.whole(0, clan.length - 1)]?.name ?? "changelog";
  const whom = random.chance(0.8) ? "leader" : "standby";
  const kind = random.pick<Fault["kind"]>([
    ...repeated("kill cub", 4),
    ...repeated("kill orchestrator", 3),
    ...repeated("kill redis", 3),
    ...repeated("freeze orchestrator", 2),
    ...repeated("freeze redis", 2),
    "freeze cub",
  ]);
  switch (kind) {
    case "kill cub":
      return { kind, agent, downMs: 0 };
    case "kill orchestrator":
      return { kind, whom, downMs: 0 };
    case "kill redis":
      return { kind, downMs: random.between(0, 1_500) };
    case "freeze redis":
      return { kind, downMs: random.between(500, 6_000) };
    // The seat's lease is 5 s.
    case "freeze orchestrator":
      return { kind, whom, downMs: random.between(5_500, 9_000) };
    // A grant's lease is 15 s: frozen for longer, it wakes up to an attempt that is no longer its own.
    case "freeze cub":
      return { kind, agent, downMs: random.chance(0.7) ? random.between(16_000, 19_000) : random.between(500, 6_000) };
    default:
      return unreachable(kind);
  }
}

function repeated<Value extends Fault["kind"]>(value: Value, times: number): [Value, ...Value[]] {
  return [value, ...Array.from({ length: times - 1 }, () => value)];
}

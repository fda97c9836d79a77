// Faults of a run, and when they come. Moments are places in the log rather than times, so that
// faults fall into work and not into waiting.
import { unreachable } from "../../lib/model/unreachable.ts";
import { clan } from "./clan.ts";
import { garbageFor, type Stream } from "./garbage.ts";
import { type Random, randomOf } from "./random.ts";

export type Fault =
  /** `agent` is meant when no agent is at work; otherwise one of those that are. */
  | { kind: "kill cub"; agent: string; downMs: 0 }
  | { kind: "freeze cub"; agent: string; downMs: number }
  /**
   * Its command fails, long enough that work fails for good, which a person then has tried again.
   */
  | { kind: "break tool"; agent: string; downMs: number }
  /**
   * It is not registered any more, and then it is again. Only of two who do the same: without any
   * other, goals come to another end.
   */
  | { kind: "remove agent"; agent: string; downMs: number }
  /** The one that leads, or the other. */
  | { kind: "kill orchestrator"; whom: "leader" | "standby"; downMs: 0 }
  | { kind: "freeze orchestrator"; whom: "leader" | "standby"; downMs: number }
  | { kind: "kill redis"; downMs: number }
  | { kind: "freeze redis"; downMs: number }
  /** For longer than a client waits for Redis' answer, and for less than any lease lasts. */
  | { kind: "stall redis"; downMs: number }
  /** Redis refuses every write: for want of memory, or of room on its disk. */
  | { kind: "fill memory"; downMs: number }
  | { kind: "fill disk"; downMs: number }
  /**
   * One by which the orchestrator writes fails at each call, for longer than an event is tried
   * before it is put aside.
   */
  | { kind: "break function"; name: string; downMs: number }
  /** That of Redis, by which leases, deadlines and retries are measured. */
  | { kind: "turn back clock"; byMs: number; downMs: 0 }
  /** Another orchestrator of the leader's name. */
  | { kind: "double orchestrator"; downMs: number }
  /** Between the machine of the instance and that of its person. */
  | { kind: "cut link"; downMs: number }
  | { kind: "slow link"; downMs: number }
  | { kind: "silence link"; downMs: number }
  /** One of the services by which agents reach commits, hosts and the record: a container. */
  | { kind: "kill service"; service: number; downMs: 0 }
  | { kind: "freeze service"; service: number; downMs: number }
  /** An entry that no program writes is in one of the streams. */
  | { kind: "garbage"; stream: Stream; fields: string[]; downMs: 0 };

export const faultKinds = [
  "kill cub",
  "freeze cub",
  "break tool",
  "remove agent",
  "kill orchestrator",
  "freeze orchestrator",
  "double orchestrator",
  "kill redis",
  "freeze redis",
  "stall redis",
  "fill memory",
  "fill disk",
  "turn back clock",
  "garbage",
  "break function",
] as const satisfies readonly Fault["kind"][];

/** Only where the instance is on another machine, which has one orchestrator. */
export const farKinds = [
  ...faultKinds.filter((kind) => kind !== "break tool" && kind !== "double orchestrator"),
  ...(["cut link", "slow link", "silence link", "kill service", "freeze service"] as const),
] satisfies readonly Fault["kind"][];

/** In a cluster, which has two orchestrators, there is no link, and a disk is not ours to fill. */
export const clusterKinds = farKinds.filter(
  (kind) => !kind.endsWith(" link") && kind !== "fill disk",
);

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

/** `kinds`: the only ones that may happen. */
export function planOf(seed: number, kinds: readonly Fault["kind"][] = faultKinds): Plan {
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
    return { ...faultOf(random, kinds), afterEvents, delayMs };
  });
  // Drawn last: the others stay as they are, whatever is drawn here.
  if (kinds.includes("break function") && random.chance(0.3))
    faults.push({
      kind: "break function",
      name: random.pick(["openClaim", "commitClaim", "endGoal", "finishGrant"]),
      downMs: random.between(7_000, 9_000),
      afterEvents: random.whole(clan.length + 1, eventsOfGoal),
      delayMs: 0,
    });
  return {
    goalsAtMs: goalsAtMs.toSorted((a, b) => a - b),
    cancelled: { atMs: random.between(0, 2_000), afterMs: random.between(100, 3_000) },
    faults: faults.toSorted((a, b) => a.afterEvents - b.afterEvents),
  };
}

/** The others happen once in as many cases. */
const oftener: Partial<Record<Fault["kind"], number>> = {
  "kill cub": 3,
  "kill orchestrator": 2,
  "kill redis": 2,
  "cut link": 4,
  "slow link": 4,
  "silence link": 4,
  "kill service": 3,
  "freeze service": 2,
};

function faultOf(random: Random, among: readonly Fault["kind"][]): Fault {
  const kinds = among.filter((kind) => kind !== "break function");
  const agent = clan[random.whole(0, clan.length - 1)]?.name ?? "changelog-one";
  const whom = random.chance(0.8) ? "leader" : "standby";
  const [first, ...rest] = kinds.flatMap((kind) =>
    Array.from({ length: oftener[kind] ?? 1 }, () => kind),
  );
  if (first === undefined) throw new Error("There is no kind of fault to choose from.");
  const kind = random.pick([first, ...rest]);
  switch (kind) {
    case "kill cub":
      return { kind, agent, downMs: 0 };
    case "kill orchestrator":
      return { kind, whom, downMs: 0 };
    case "kill service":
      return { kind, service: random.whole(0, 59), downMs: 0 };
    case "freeze service":
      return { kind, service: random.whole(0, 59), downMs: random.between(500, 6_000) };
    case "cut link":
      return { kind, downMs: random.between(200, 6_000) };
    // Nothing says so: some wait longer for an answer than this, and some do not.
    case "silence link":
      return { kind, downMs: random.between(1_000, 15_000) };
    // Longer than any lease but that of a grant.
    case "slow link":
      return { kind, downMs: random.between(6_000, 12_000) };
    // Attempts follow one another after 1, 2 and 4 s.
    case "break tool":
      return { kind, agent, downMs: random.between(9_000, 12_000) };
    case "remove agent":
      return {
        kind,
        agent: random.pick(["packager-one", "packager-two", "changelog-one", "changelog-two"]),
        downMs: random.between(1_000, 6_000),
      };
    case "kill redis":
      return { kind, downMs: random.between(0, 1_500) };
    case "freeze redis":
      return { kind, downMs: random.between(500, 6_000) };
    // The leader lease is 5 s.
    case "freeze orchestrator":
      return { kind, whom, downMs: random.between(5_500, 9_000) };
    // A grant's lease is 15 s: frozen for longer, it wakes up to an attempt that is no longer its
    // own.
    case "freeze cub":
      return {
        kind,
        agent,
        downMs: random.chance(0.7) ? random.between(16_000, 19_000) : random.between(500, 6_000),
      };
    case "stall redis":
      return { kind, downMs: 3_500 };
    case "fill memory":
    case "fill disk":
      return { kind, downMs: random.between(500, 6_000) };
    // A few seconds, as a time server does it, or an hour.
    case "turn back clock":
      return {
        kind,
        byMs: random.chance(0.3) ? Math.round(random.between(500, 20_000)) : 3_600_000,
        downMs: 0,
      };
    // Long enough that both have asked for the leader lease again and again.
    case "double orchestrator":
      return { kind, downMs: random.between(2_000, 8_000) };
    case "garbage": {
      const stream = random.chance(0.7) ? "events" : "claims";
      return { kind, stream, fields: garbageFor(stream, random), downMs: 0 };
    }
    default:
      return unreachable(kind);
  }
}

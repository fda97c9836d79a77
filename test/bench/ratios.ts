// The figures that a change of the protocol is judged by, each with its floor and its goal. Most
// are ratios of two figures that were measured in turn, so that machines compare.
import { loadavg } from "node:os";
import { rounded } from "./figures.ts";
import {
  type Figures,
  measureCrowd,
  measurePhases,
  measureRest,
  measureRivals,
  measureTls,
  measureTools,
  quick,
  whole,
} from "./ratio-figures.ts";

type Row = {
  name: string;
  unit?: string;
  floor: number;
  goal: number;
  is: "at most" | "at least";
  of: (figures: Figures) => number;
};

const of = (name: string) => (figures: Figures) => figures[name] ?? Number.NaN;

const rows: readonly Row[] = [
  {
    name: "goal → start of the tool, by BullMQ's add → process",
    ...{
      floor: 1.8,
      goal: 1.3,
      is: "at most",
      of: (figures) => of("goal_ms")(figures) / of("job_ms")(figures),
    },
  },
  {
    name: "claims (3 agents), by BullMQ's jobs",
    floor: 0.9,
    goal: 1.3,
    is: "at least",
    of: of("claims_per_job"),
  },
  {
    name: "claims with 100 agents of which 1 works, by those with 3",
    ...{ floor: 0.6, goal: 0.9, is: "at least", of: of("claims_100_by_3_agents") },
  },
  {
    name: "three-phase claims (5 grants), by BullMQ's jobs",
    ...{ floor: 0.2, goal: 0.3, is: "at least", of: of("three_phases_per_job") },
  },
  {
    name: "one phase → the next, by BullMQ's add → process",
    floor: 2,
    goal: 1.5,
    is: "at most",
    of: of("phase_by_job"),
  },
  {
    name: "first 100 goals of fresh processes → the tool has begun",
    ...{ unit: "ms", floor: 6, goal: 4, is: "at most", of: of("first_goals_ms") },
  },
  {
    name: "goals with the tool started, by bare starts of it",
    ...{ floor: 0.7, goal: 0.9, is: "at least", of: of("tools_by_bare_starts") },
  },
  {
    name: "append-only file a claim, 3 agents",
    unit: "KB",
    floor: 8,
    goal: 5,
    is: "at most",
    of: of("aof_kb_3_agents"),
  },
  {
    name: "append-only file a claim, 1 000 agents",
    unit: "KB",
    floor: 100,
    goal: 50,
    is: "at most",
    of: of("aof_kb_crowd"),
  },
  {
    name: "goal → start of the tool, Redis elsewhere by TLS, by Redis at a socket",
    ...{ floor: 1.15, goal: 1.05, is: "at most", of: of("redis_tls_by_socket") },
  },
  {
    name: "idle: orchestrator and Redis, 3 agents",
    ...{ unit: "ms/s", floor: 4, goal: 2, is: "at most", of: of("idle_ms_per_second") },
  },
  {
    name: "a goal beside 1 000 agents and 100 000 claims that wait, by an empty instance",
    ...{ floor: 2, goal: 1.2, is: "at most", of: of("crowd_by_empty") },
  },
];

/**
 * Prints the table, and all figures as JSON. `isQuick`: fewer samples, 200 agents and 5 000 claims
 * that wait, in about a minute.
 */
export async function printRatios(isQuick: boolean): Promise<void> {
  const amount = isQuick ? quick : whole;
  const figures: Figures = {};
  for (const measure of [
    measureRest,
    measureRivals,
    measurePhases,
    measureTools,
    measureCrowd,
    measureTls,
  ]) {
    const load = loadavg()[0] ?? 0;
    Object.assign(figures, await measure(amount));
    console.error(`${measure.name}: measured, at a load of ${rounded(load, 1)} before it`);
  }
  console.log(lineOf(["", "measured", "floor", "goal", ""]));
  for (const row of rows) {
    const value = row.of(figures);
    const isMet = (bound: number) => (row.is === "at most" ? value <= bound : value >= bound);
    const verdict = isMet(row.goal) ? "goal" : isMet(row.floor) ? "floor" : "-";
    const withUnit = (number: number) =>
      `${rounded(number, 2)}${row.unit === undefined ? "" : ` ${row.unit}`}`;
    console.log(
      lineOf([row.name, withUnit(value), withUnit(row.floor), withUnit(row.goal), verdict]),
    );
  }
  if (isQuick)
    console.log(`Quick: ${amount.crowd} agents for 1 000, ${amount.waiting} claims for 100 000.`);
  console.log(
    JSON.stringify(
      Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, rounded(value)])),
    ),
  );
}

function lineOf([name = "", ...cells]: readonly string[]): string {
  return `${name.padEnd(78)}${cells.map((cell) => cell.padStart(11)).join("")}`;
}

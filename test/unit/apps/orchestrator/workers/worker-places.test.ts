import { expect, test } from "bun:test";
import { WorkerPlaces } from "../../../../../apps/orchestrator/workers/worker-places.ts";
import type { Worker } from "../../../../../lib/core/plan-workers.ts";
import { ClaimId } from "../../../../../lib/model/ids.ts";
import { agentName } from "../../../../support/records/sample.ts";

const [coder, tester] = [agentName("coder"), agentName("tester")];
const claim = (n: number) => ClaimId.parse(`00000000-0000-4000-8000-00000000000${n}`);

function placesFor(limit: number | undefined) {
  const started: Worker[] = [];
  const places = new WorkerPlaces([coder, tester], limit);
  const open = (agent: typeof coder, running: Worker[] = []) =>
    places.open(agent, { slots: 2, start: (worker) => started.push(worker) }, running);
  return { places, open, started };
}

test("with a limit no worker is started before the workers of all agents are known", () => {
  const { places, open, started } = placesFor(2);
  open(coder);
  places.add({ agent: coder, claim: claim(1), by: "ada" });
  places.fill();
  expect(started).toEqual([]);
  open(tester, [{ agent: tester, claim: claim(8), by: "ada", slot: 1 }]);
  places.add({ agent: coder, claim: claim(2), by: "ada" });
  places.fill();
  expect(started).toEqual([{ agent: coder, claim: claim(1), by: "ada", slot: 1 }]);
});

test("the place of a worker that has ended is given to what waits", () => {
  const { places, open, started } = placesFor(1);
  open(coder);
  const found = { agent: tester, claim: claim(8), by: "ada", slot: Number.NaN };
  const { workers } = open(tester, [found, { ...found, claim: claim(9), slot: 1 }]);
  expect(workers.map(({ slot }) => slot)).toEqual([1, 2]);
  places.add({ agent: coder, claim: claim(1), by: "ada" });
  places.add({ agent: coder, claim: claim(1), by: "ada" });
  places.fill();
  expect(places.isWaiting(coder, claim(1))).toBe(true);
  for (const worker of workers) places.free(worker);
  expect(started).toHaveLength(1);
  expect([places.workersOf(coder), places.isWaiting(coder, claim(1))]).toEqual([1, false]);
});

test("without a limit a pool waits for no other, and one that has ended starts nothing", () => {
  const { places, open, started } = placesFor(undefined);
  const pool = open(coder);
  places.replace(coder, [{ agent: coder, claim: claim(1), by: "ada" }]);
  places.fill();
  expect(started).toHaveLength(1);
  pool[Symbol.dispose]();
  for (const worker of started) places.free(worker);
  expect(started).toHaveLength(1);
});

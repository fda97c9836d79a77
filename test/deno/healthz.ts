// Both services answer /healthz under Deno: the same sources, served by another web-standard runtime.
import { randomUUID } from "node:crypto";
import process from "node:process";
import { createCubApp } from "../../apps/cub/app.ts";
import { createCubMetrics } from "../../apps/cub/metrics.ts";
import { createOrchestratorApp } from "../../apps/orchestrator/app.ts";
import { createOrchestratorMetrics } from "../../apps/orchestrator/metrics.ts";
import { Orchestrator } from "../../apps/orchestrator/orchestrator.ts";
import { createMemoryBlackboard } from "../../lib/blackboard/memory/create.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { defaultPolicy } from "../../lib/model/policy.ts";
import { systemClock } from "../../lib/service/clock.ts";
import { createJsonLog } from "../../lib/service/json-log.ts";

type Fetch = (request: Request) => Response | Promise<Response>;
/** The part of Deno's API that is used here; the project's own types are Bun's. */
type Deno = {
  serve(options: { port: number; onListen?: () => void }, handler: Fetch): { addr: { port: number }; shutdown(): Promise<void> };
};
const { Deno } = globalThis as unknown as { Deno: Deno };

async function expectHealthy(service: string, fetchHandler: Fetch): Promise<void> {
  const server = Deno.serve({ port: 0, onListen: () => {} }, fetchHandler);
  const answer = await fetch(`http://127.0.0.1:${server.addr.port}/healthz`);
  const body: unknown = await answer.json();
  await server.shutdown();
  if (answer.status !== 200) throw new Error(`${service} answers ${answer.status} under Deno: ${JSON.stringify(body)}`);
  console.log(`${service} answers /healthz under Deno: ${JSON.stringify(body)}`);
}

const stop = new AbortController();
const memory = createMemoryBlackboard({ instance: InstanceName.parse("deno") });
const metrics = createOrchestratorMetrics();
const orchestrator = new Orchestrator({
  board: memory.open(),
  policy: defaultPolicy,
  holder: "deno",
  clock: systemClock,
  newId: randomUUID,
  log: createJsonLog(() => {}, systemClock.now),
  metrics,
});
const running = orchestrator.run(stop.signal);
while (!orchestrator.health().ok) await new Promise((resolve) => setTimeout(resolve, 5));
await expectHealthy("orchestrator", createOrchestratorApp(orchestrator, { metrics }).fetch);
stop.abort();
await running;

const cub = createCubApp({ health: () => ({ ok: true }), metrics: createCubMetrics().registry, state: () => ({}) });
await expectHealthy("cub", cub.fetch);
process.exit(0);

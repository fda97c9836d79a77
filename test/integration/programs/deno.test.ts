// The orchestrator, the gateway and the cub run from their sources under Deno, too: real processes
// on a real Redis, as they are on Bun.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { nightly } from "../../support/nightly.ts";
import { sourceOf } from "../../support/process/service-process.ts";
import { root } from "../../support/root.ts";
import { startPainting } from "../../support/world/painting.ts";

/**
 * Deno itself: what the package manager puts in its place may be a script, which keeps signals to
 * itself.
 */
async function denoProgram(): Promise<string> {
  const deno = join(root, "node_modules/.bin/deno");
  return (await $`${deno} eval ${"console.log(Deno.execPath())"}`.text()).trim();
}

let painting: Awaited<ReturnType<typeof startPainting>>;
beforeAll(async () => {
  const deno = await denoProgram();
  painting = await startPainting({
    command: (app) => [deno, "run", "--allow-all", sourceOf(app)],
    // Where Deno keeps what it has compiled.
    env: { HOME: process.env.HOME ?? "/tmp" },
    timeoutMs: 120_000,
  });
});
afterAll(() => painting[Symbol.asyncDispose]());

nightly("under Deno the orchestrator and the cub work a goal to a commit", async () => {
  const artefact = await painting.paint();
  expect(artefact).toMatchObject({ type: "CodeCommit", payload: artefact.metadata.commit });
  expect(await painting.painted(artefact, "door.txt")).toBe("green");
});

test("under Deno all answer /healthz", async () => {
  for (const app of ["orchestrator", "gateway", "cub"] as const) {
    expect(await painting.wellness(app)).toEqual({ service: app, ok: true });
  }
});

nightly("under Deno all end in order on SIGTERM", async () => {
  for (const [app, service] of Object.entries(painting.services)) {
    service.signal("SIGTERM");
    expect([app, await service.exited]).toEqual([app, 0]);
    expect(service.log().at(-1)?.msg).toMatch(/^(?:Orchestrator|Gateway|Cub) stopped$/);
    expect(service.errors()).toBe("");
  }
});

// The programs of the other architecture, as the images for it hold them, run here in an emulator:
// ARM64 on an x64 machine, x64 on ARM64. The tools that they start are this machine's own.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { build, hostArchitecture, imageBinaries, otherArchitecture } from "../../../.ci/build.ts";
import { startPainting } from "../../support/world/painting.ts";

/** From qemu-user-static, and the C library that Debian has for cross-compiling. */
const emulator = {
  arm64: ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"],
  amd64: ["qemu-x86_64-static", "-L", "/usr/x86_64-linux-gnu"],
}[otherArchitecture] as [string, ...string[]];
const bin = join(import.meta.dir, `../../../bin/linux-${otherArchitecture}`);

/** Emulated, a program takes ten times as long, and more beside everything else that is tested. */
const timeoutMs = 300_000;

let painting: Awaited<ReturnType<typeof startPainting>>;
beforeAll(async () => {
  await build(imageBinaries(otherArchitecture).filter(({ program }) => program !== "api"));
  painting = await startPainting({
    command: (app) => [...emulator, join(bin, app)],
    env: { SETT_REDIS_TIMEOUT: "1m", SETT_REDIS_GIVE_UP: "10m" },
    timeoutMs,
  });
}, 3 * timeoutMs);
afterAll(() => painting?.[Symbol.asyncDispose]());

test(
  `the ${otherArchitecture} programs answer /healthz on ${hostArchitecture}`,
  async () => {
    for (const app of ["orchestrator", "gateway", "cub"] as const) {
      expect(await painting.wellness(app)).toEqual({ service: app, ok: true });
    }
  },
  2 * timeoutMs,
);

test(
  `the ${otherArchitecture} programs work a goal to a commit`,
  async () => {
    const artefact = await painting.paint();
    expect(artefact).toMatchObject({ type: "CodeCommit", payload: artefact.metadata.commit });
    expect(await painting.painted(artefact, "door.txt")).toBe("green");
  },
  2 * timeoutMs,
);

test(
  `the ${otherArchitecture} programs end in order on SIGTERM`,
  async () => {
    for (const [app, service] of Object.entries(painting.services)) {
      service.signal("SIGTERM");
      expect([app, await service.exited]).toEqual([app, 0]);
      expect(service.log().at(-1)?.msg).toMatch(/^(?:Orchestrator|Gateway|Cub) stopped$/);
    }
  },
  2 * timeoutMs,
);

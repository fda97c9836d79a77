// Shows what becomes of a container that ends by itself.
import { expect, test } from "bun:test";
import { waitFor } from "../../../support/wait-for.ts";
import type { RuntimeBench } from "./bench.ts";

export function restartsSuite(open: () => Promise<RuntimeBench>, rarely: typeof test): void {
  test("one that crashes is started again, counted, with its log going on, until it is stopped", async () => {
    await using sett = await open();
    const { find, logs } = sett.runtime.observe;
    const { stop } = sett.runtime.apply;
    // However late SIGTERM comes, it ends with its own code.
    const { id } = await sett.run("trap 'exit 5' TERM; echo again; exit 5", {
      restart: "unless-stopped",
    });
    // In the long pause before the next one.
    await waitFor("some restarts", async () => {
      const found = await find(id);
      return found !== undefined && found.restarts >= 4 && found.state.state === "restarting";
    });
    await stop(id, 10);
    expect(await find(id)).toMatchObject({ state: { state: "exited", exitCode: 5 } });
    const lines: string[] = [];
    for await (const { line } of logs(id)) lines.push(line);
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(new Set(lines)).toEqual(new Set(["again"]));
  }, 600_000);

  rarely(
    "one that is stopped stays stopped",
    async () => {
      await using sett = await open();
      const { find, logs } = sett.runtime.observe;
      const { stop } = sett.runtime.apply;
      const { id } = await sett.run(
        "trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done",
        {
          restart: "unless-stopped",
        },
      );
      for await (const { line } of logs(id, { follow: true })) if (line === "ready") break;
      await stop(id, 10);
      expect(await find(id)).toMatchObject({
        restarts: 0,
        ports: [],
        state: { state: "exited", exitCode: 0 },
      });
    },
    600_000,
  );

  rarely(
    "one that does not heed SIGTERM is killed when its time is up",
    async () => {
      await using sett = await open();
      const { find, logs } = sett.runtime.observe;
      const { stop } = sett.runtime.apply;
      const { id } = await sett.run("trap '' TERM; echo deaf; while :; do sleep 0.05; done", {
        restart: "unless-stopped",
      });
      for await (const { line } of logs(id, { follow: true })) if (line === "deaf") break;
      await stop(id, 1);
      expect(await find(id)).toMatchObject({ state: { state: "exited", exitCode: 137 } });
    },
    600_000,
  );

  test("without a policy to restart nothing is started again", async () => {
    await using sett = await open();
    const { find } = sett.runtime.observe;
    const { wait } = sett.runtime.workers;
    const { id } = await sett.run("exit 6");
    expect(await wait(id)).toBe(6);
    expect(await find(id)).toMatchObject({ restarts: 0, state: { state: "exited", exitCode: 6 } });
  });
}

// A short `just chaos --far`, by night: a Redis of its own there, and one here.
import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { isNight } from "../support/nightly.ts";
import { canStartFar, startFarMachine } from "./far-machine.ts";
import { startFarWorld } from "./far-world.ts";
import { farKinds } from "./faults.ts";
import { runChaos } from "./run.ts";

test.skipIf(!isNight || !canStartFar)(
  "an instance on another machine reaches its goals whatever of it is killed, and however its link is cut, and its person sees all of it",
  async () => {
    await using machine = await startFarMachine();
    const stop = AbortSignal.timeout(1_500_000);
    for (const seed of [1, 6]) {
      const start = (run: { seed: number }) => startFarWorld(machine, run);
      const { violations, folder } = await runChaos(seed, stop, farKinds, start);
      expect({ seed, folder, violations }).toEqual({ seed, folder, violations: [] });
      await rm(folder, { recursive: true });
    }
  },
  1_520_000,
);

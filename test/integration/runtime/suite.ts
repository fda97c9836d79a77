// Shows what every implementation of the runtime's port holds to.
import { describe, test } from "bun:test";
import type { RuntimeBench } from "./suite/bench.ts";
import { containersSuite } from "./suite/containers.ts";
import { logsSuite } from "./suite/logs.ts";
import { partsSuite } from "./suite/parts.ts";
import { restartsSuite } from "./suite/restarts.ts";
import { volumeFilesSuite } from "./suite/volume-files.ts";

/** `rarely`: in the place of `test`, for what costs more than it finds where it is slow. */
export function runtimeSuite(
  name: string,
  open: () => Promise<RuntimeBench>,
  rarely: typeof test = test,
): void {
  describe(name, () => {
    describe("containers", () => containersSuite(open, rarely));
    describe("restarts", () => restartsSuite(open, rarely));
    describe("logs", () => logsSuite(open, rarely));
    describe("parts", () => partsSuite(open, rarely));
    describe("files of volumes", () => volumeFilesSuite(open, rarely));
  });
}

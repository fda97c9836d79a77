// Shows what every implementation of the runtime's port holds to.
import { describe } from "bun:test";
import type { RuntimeBench } from "./suite/bench.ts";
import { containersSuite } from "./suite/containers.ts";
import { logsSuite } from "./suite/logs.ts";
import { partsSuite } from "./suite/parts.ts";
import { restartsSuite } from "./suite/restarts.ts";
import { volumeFilesSuite } from "./suite/volume-files.ts";

export function runtimeSuite(name: string, open: () => Promise<RuntimeBench>): void {
  describe(name, () => {
    describe("containers", () => containersSuite(open));
    describe("restarts", () => restartsSuite(open));
    describe("logs", () => logsSuite(open));
    describe("parts", () => partsSuite(open));
    describe("files of volumes", () => volumeFilesSuite(open));
  });
}

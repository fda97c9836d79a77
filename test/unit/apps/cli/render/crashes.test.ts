// Shows what is said of agents whose containers end again and again.
import { expect, test } from "bun:test";
import { type Crash, crashesOf, crashSentence } from "../../../../../apps/cli/render/crashes.ts";
import { suggestFor } from "../../../../../lib/client/text/suggest.ts";
import type { ContainerPart, ContainerState } from "../../../../../lib/runtime/port.ts";
import { ago, nowMs } from "../../../../support/claims/sample-claims.ts";
import { instanceParts } from "../../../../support/cli/instance-parts.ts";

function linesOf(state: ContainerState, over: Partial<ContainerPart> = {}): string[] {
  const [coder, ...others] = instanceParts("demo", "/work", "containers").containers;
  if (coder === undefined) throw new Error("There is an agent.");
  const crashes: Crash[] = crashesOf([{ ...coder, state, ...over }, ...others], nowMs);
  return crashes.map((crash) => crashSentence(crash, nowMs, suggestFor(undefined)));
}
const running = (seconds: number) =>
  ({ state: "running", startedAt: ago(seconds), health: "none" }) as const;

test("an agent that waits for its restart is shown with its last exit code", () => {
  expect(linesOf({ state: "restarting", exitCode: 1 }, { restarts: 14 })).toEqual([
    "`coder` ended with exit code 1, and was restarted 14 times: `sett logs coder` may show why",
  ]);
});

test("an agent that was restarted a moment ago is shown with when, and no longer once it has run for a minute", () => {
  expect(linesOf(running(3), { restarts: 1 })).toEqual([
    "`coder` ended, and was restarted once, last 3s ago: `sett logs coder` may show why",
  ]);
  expect(linesOf(running(60), { restarts: 1 })).toEqual([]);
});

test("an agent that was never restarted, or has ended for good, is not shown", () => {
  expect(linesOf(running(3))).toEqual([]);
  expect(linesOf({ state: "exited", exitCode: 1, endedAt: ago(3) }, { restarts: 2 })).toEqual([]);
});

// The logs of workers, some of which are removed while they are read.
import { expect, test } from "bun:test";
import { readLogs } from "../../../../../apps/cli/logs/worker-logs.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import { labelsFor } from "../../../../../lib/runtime/labels.ts";
import type { ContainerPart } from "../../../../../lib/runtime/port.ts";
import { instanceParts } from "../../../../support/cli/instance-parts.ts";
import { errorOf } from "../../../../support/error-of.ts";
import { agentName, newClaimId, newGoalId } from "../../../../support/records/sample.ts";

const agent = agentName("tester");
const parts = instanceParts("demo", "/home/ada/doors", "containers");
const [part] = parts.containers;
if (part === undefined) throw new Error("There is no container.");

const worker = (name: string): ContainerPart => {
  const work = { goal: newGoalId(), claim: newClaimId(), attempt: 1 };
  const labels = labelsFor(part.labels, { component: "worker", agent, role: "tester", ...work });
  return { ...part, id: name, name, labels };
};

/** Workers of the names of `gone` were listed, and are no more when their log is asked for. */
const placeWith = (gone: readonly string[]) => ({
  parts: { ...parts, containers: ["early", "late"].map(worker) },
  agent,
  runtime: {
    observe: {
      async *logs(name: string) {
        if (gone.includes(name) || name === "early")
          throw new SettError("docker-failed", `There is no container ${name}.`);
        yield { stream: "stdout" as const, line: `${name} works`, time: "" };
      },
      find: async (name: string) => (gone.includes(name) ? undefined : worker(name)),
    },
  },
});

test("a worker that was removed since it was listed takes nothing of the other logs with it", async () => {
  const kept = [{ id: "1-0", worker: "early", lines: ["early has ended"] }];
  const board = { readWorkerLogs: async () => kept };
  const logs = await readLogs(placeWith(["early"]), board);
  expect(logs.lines).toEqual(["early has ended", "late works"]);
  expect(logs.running).toEqual([{ worker: "late", lines: ["late works"] }]);
  // One that is still there and cannot be read is no such worker.
  const error = await errorOf(readLogs(placeWith([]), board));
  expect(error.message).toBe("There is no container early.");
});

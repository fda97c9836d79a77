// An instance's name for one test, its processes in a folder of their own; all of it is ended and
// removed at the end, whatever happened.

import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { AgentName, InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";
import type { PartKind, PartLabels } from "../../../lib/runtime/labels.ts";
import type { Runtime } from "../../../lib/runtime/port.ts";
import { processRuntime } from "../../../lib/runtime/process/runtime.ts";
import { scriptSpec } from "../records/script-spec.ts";
import { settBinary } from "./compiled.ts";

const agent = AgentName.parse("x");
const supervisor = [settBinary, "supervise"];

export type ProcessInstance = AsyncDisposable & {
  runtime: Runtime;
  instance: InstanceName;
  /** The folder in which the runtime keeps everything. */
  folder: string;
  /** A name that no other test uses: `sett-{instance}-{suffix}`. */
  name(suffix: string): string;
  labels(kind: PartKind): PartLabels;
  /** Starts a process that runs a shell script, as agent `x` unless `over` says otherwise. */
  run(script: string, over?: Partial<ContainerSpec>): Promise<{ id: string }>;
};

/** `beside`: another instance of the same runtime. */
export async function processInstance(beside?: ProcessInstance): Promise<ProcessInstance> {
  const folder = beside?.folder ?? (await mkdtemp(join(tmpdir(), "sett-processes-")));
  const runtime = processRuntime(
    { folder, supervisor },
    { PATH: process.env.PATH, TOKEN: "secret" },
  );
  const instance = InstanceName.parse(`test-${randomBytes(6).toString("hex")}`);
  let started = 0;
  const name = (suffix: string): string => `sett-${instance}-${suffix}`;
  const labels = (kind: PartKind): PartLabels => ({
    instance,
    workspace: "/tmp/nowhere",
    version: "0.0.0",
    id: "aa.1",
    ...kind,
  });
  return {
    runtime,
    instance,
    folder,
    name,
    labels,
    run(script, over = {}) {
      started += 1;
      const labelled = labels({ component: "agent", agent, role: "tester" });
      const spec = scriptSpec(script, {
        name: name(`agent-x${started}`),
        image: "",
        labels: labelled,
      });
      return runtime.apply.start({ ...spec, ...over });
    },
    async [Symbol.asyncDispose]() {
      await runtime.apply.removeInstance(instance, { blackboard: "remove" });
      if (beside === undefined) await rm(folder, { recursive: true });
    },
  };
}

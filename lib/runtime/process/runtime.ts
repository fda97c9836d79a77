// The runtime without containers: what an instance consists of runs as processes of this machine, and nothing is walled off.
import { release } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { SettError } from "../../model/errors.ts";
import type { InstanceName } from "../../model/ids.ts";
import { blackboardVolumeName, lockName } from "../names.ts";
import type { ContainerRuntime, ImageInfo } from "../port.ts";
import { execBeside } from "./exec.ts";
import { takeLock } from "./file-lock.ts";
import { allInstances, findProcess, instanceParts, waitForEnd, waitHealthy } from "./inspect.ts";
import { logLines } from "./logs.ts";
import { machineEnvironment } from "./machine-environment.ts";
import { removeProcess, renameProcess, type Supervisor, startProcess, startProcessAgain, stopProcess } from "./processes.ts";
import { Registry } from "./registry.ts";
import { resolveSpec } from "./resolve-spec.ts";
import { createVolume, removeVolume } from "./volumes.ts";

export type ProcessRuntimeOptions = {
  /** Everything of this runtime lies in there; it is made when it is needed. One for each user of the machine. */
  folder: string;
  /** A command that supervises the process whose folder is added to it: see `supervise`. */
  supervisor: readonly string[];
};

/**
 * To this runtime every image is this machine as it is: nothing is pulled, built or filled, and the user is whoever started it. `ownEnv` is
 * the environment of this program, of which processes get a part.
 */
export function processRuntime(
  { folder, supervisor: command }: ProcessRuntimeOptions,
  ownEnv: Readonly<Record<string, string | undefined>>,
): ContainerRuntime {
  const registry = new Registry(folder);
  const env = machineEnvironment(ownEnv);
  const supervisor: Supervisor = { command, env };
  const machine: ImageInfo = { ...bareMachine, env };
  const volumeFolder = (name: string) => registry.volumeFolder(name);
  return {
    check: async () => {
      await registry.open();
      return { version: release(), architecture: machine.architecture };
    },
    lock: async (instance, who) => {
      await registry.open();
      return await takeLock(join(registry.root, lockName(instance)), who);
    },
    images: {
      find: async () => machine,
      pull: async () => machine,
      build: async () => machine,
      untag: async () => {},
      load: async () => {},
      removeBuilt: async () => [],
    },
    containers: {
      start: async (spec) => {
        await registry.open();
        return await startProcess(registry, supervisor, resolveSpec(spec, { env, volumeFolder, now: () => new Date() }));
      },
      startAgain: (name) => startProcessAgain(registry, supervisor, name),
      rename: (name, other) => renameProcess(registry, name, other),
      find: (name) => findProcess(registry, name),
      wait: (name, signal) => waitForEnd(registry, name, signal),
      waitHealthy: (name, limits) => waitHealthy(registry, name, limits),
      stop: (name, timeoutSeconds) => stopProcess(registry, name, timeoutSeconds * 1_000),
      remove: (name) => removeProcess(registry, name),
      logs: (name, which) => logLines(registry, name, which),
      exec: (name, words, input) => execBeside(registry, name, words, input),
    },
    volumes: {
      create: (name, labels) => createVolume(registry, name, labels),
      fill: async () => {},
      prepare: async () => {},
      remove: (name) => removeVolume(registry, name),
    },
    networks: {
      create: async (name, labels) => {
        await registry.open();
        if (!(await registry.takeLabels("networks", name, labels))) throw networkTaken(name);
      },
      remove: (name) => registry.dropLabels("networks", name),
    },
    instances: () => allInstances(registry),
    parts: (instance) => instanceParts(registry, instance),
    removeInstance: (instance, keeping) => removeInstance(registry, instance, keeping),
  };
}

const bareMachine: Omit<ImageInfo, "env"> = {
  id: "machine",
  digest: undefined,
  // In the words of image names.
  architecture: process.arch === "x64" ? "amd64" : process.arch,
  user: "",
  entrypoint: [],
  command: [],
  workingDir: "",
  labels: {},
};

/** One thing that cannot be removed does not save the others; the first failure is thrown at the end. */
async function removeInstance(registry: Registry, instance: InstanceName, { blackboard }: { blackboard: "keep" | "remove" }) {
  const { containers, volumes, networks } = await instanceParts(registry, instance);
  const removed = await Promise.allSettled(containers.map(({ id }) => removeProcess(registry, id)));
  const kept = blackboard === "keep" ? blackboardVolumeName(instance) : undefined;
  const freed = await Promise.allSettled([
    ...networks.map(({ name }) => registry.dropLabels("networks", name)),
    ...volumes.filter(({ name }) => name !== kept).map(({ name }) => removeVolume(registry, name)),
  ]);
  for (const result of [...removed, ...freed]) if (result.status === "rejected") throw result.reason;
}

function networkTaken(name: string): SettError {
  return new SettError("instance-taken", `There is a network named ${name} already.`, {
    hint: "`sett list` shows what is running; `sett down` removes what a Sett left behind.",
  });
}

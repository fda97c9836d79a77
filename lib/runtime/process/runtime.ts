// The runtime without containers: the parts of an instance run as processes of this machine,
// without isolation.
import { availableParallelism, release, totalmem } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { SettError } from "../../model/errors.ts";
import type { InstanceName } from "../../model/ids.ts";
import { connectTo } from "../connect.ts";
import { readFolder, writeFolder } from "../folder-files.ts";
import { identityOfProcesses, keptVolumeNames, lockName } from "../names.ts";
import type { Apply, AttendedRuntime, EngineInfo, Observe, Workers } from "../port.ts";
import { workersOf } from "../workers.ts";
import { attendBeside } from "./attend.ts";
import { execBeside } from "./exec.ts";
import { acquireLock } from "./file-lock.ts";
import { allInstances, findProcess, instanceParts, waitForEnd } from "./inspect.ts";
import { logLines } from "./logs.ts";
import { machineEnvironment } from "./machine-environment.ts";
import {
  removeProcess,
  renameProcess,
  type Supervisor,
  startProcess,
  startProcessAgain,
  stopProcess,
} from "./processes.ts";
import { Registry } from "./registry.ts";
import { resolveSpec } from "./resolve-spec.ts";
import { newSecretsFolder } from "./secrets.ts";
import { makeVolume, removeVolume } from "./volumes.ts";

export type ProcessRuntimeOptions = {
  /**
   * Holds everything of this runtime; it is made when it is needed. One for each user of the
   * machine.
   */
  folder: string;
  /** A command that supervises the process whose folder is added to it: see `supervise`. */
  supervisor: readonly string[];
};

/**
 * Processes run as the user who started them. `ownEnv` is the environment of this program, of which
 * processes get a part.
 */
export function processRuntime(
  { folder, supervisor: command }: ProcessRuntimeOptions,
  ownEnv: Readonly<Record<string, string | undefined>>,
): AttendedRuntime {
  const registry = new Registry(folder);
  const env = machineEnvironment(ownEnv);
  const supervisor: Supervisor = { command, env };
  const observe: Observe = {
    check: async () => {
      await registry.open();
      return { ...thisMachine(), identity: identityOfProcesses(registry.root) };
    },
    instances: (workspace) => allInstances(registry, workspace),
    parts: (instance) => instanceParts(registry, instance),
    find: (name) => findProcess(registry, name),
    logs: (name, which) => logLines(registry, name, which),
    exec: (name, words, input) => execBeside(registry, name, words, input),
    connect: async (name, port) => connectTo(await findProcess(registry, name), name, port),
    readFiles: (volume) => readFolder(registry.volumeFolder(volume)),
  };
  const apply: Apply = {
    lock: async (instance, holder) => {
      await registry.open();
      return await acquireLock(join(registry.root, lockName(instance)), holder);
    },
    start: async (spec) => {
      await registry.open();
      const secretsFolder = await newSecretsFolder(registry.root);
      const volumeFolder = (name: string) => registry.volumeFolder(name);
      const machine = { env, volumeFolder, secretsFolder, now: () => new Date() };
      return await startProcess(registry, supervisor, resolveSpec(spec, machine));
    },
    startAgain: (name) => startProcessAgain(registry, supervisor, name),
    rename: (name, other) => renameProcess(registry, name, other),
    stop: (name, timeoutSeconds) => stopProcess(registry, name, timeoutSeconds * 1_000),
    remove: (name) => removeProcess(registry, name),
    makeVolume: (volume) => makeVolume(registry, volume),
    writeFiles: (volume, files, { signal }) =>
      writeFolder(registry.volumeFolder(volume), files, signal),
    removeVolume: (name) => removeVolume(registry, name),
    // The name of an instance, while nothing of it runs yet.
    createNetwork: async (name, labels) => {
      await registry.open();
      if (!(await registry.createLabels("networks", name, labels))) throw networkTaken(name);
    },
    // Processes have the network of this machine.
    joinNetwork: async () => {},
    removeNetwork: (name) => registry.removeLabels("networks", name),
    removeInstance: (instance, keeping) => removeInstance(registry, instance, keeping),
  };
  const wait: Workers["wait"] = (name, signal) => waitForEnd(registry, name, signal);
  return {
    ...{ observe, apply, workers: workersOf(observe, apply, wait) },
    attend: (name, words, attended) => attendBeside(registry, name, words, attended),
  };
}

function thisMachine(): EngineInfo {
  return {
    version: release(),
    // In the words of image names.
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    cpus: availableParallelism(),
    memoryBytes: totalmem(),
    canLimitSystemCalls: false,
    canLimitProcessors: false,
    isRootless: false,
  };
}

/**
 * One part that cannot be removed does not stop the removal of the others; the first failure is
 * thrown at the end.
 */
async function removeInstance(
  registry: Registry,
  instance: InstanceName,
  { blackboard }: { blackboard: "keep" | "remove" },
) {
  const { containers, volumes, networks } = await instanceParts(registry, instance);
  const removed = await Promise.allSettled(containers.map(({ id }) => removeProcess(registry, id)));
  const kept = blackboard === "keep" ? keptVolumeNames(instance) : [];
  const freed = await Promise.allSettled([
    ...networks.map(({ name }) => registry.removeLabels("networks", name)),
    ...volumes
      .filter(({ name }) => !kept.includes(name))
      .map(({ name }) => removeVolume(registry, name)),
  ]);
  for (const result of [...removed, ...freed])
    if (result.status === "rejected") throw result.reason;
}

function networkTaken(name: string): SettError {
  return new SettError("instance-taken", `There is a network named ${name} already.`, {
    hint: "`sett list` shows the instances; `sett down` removes the parts of one.",
  });
}

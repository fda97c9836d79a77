// The container runtime on a Docker Engine. This folder is the only one that knows dockerode.
import type { InstanceName } from "../../model/ids.ts";
import { connectTo } from "../connect.ts";
import type { PartLabels } from "../labels.ts";
import { lockName } from "../names.ts";
import type { Apply, Attended, EngineRuntime, Images, Observe, Workers } from "../port.ts";
import { workersOf } from "../workers.ts";
import { waitForEnd } from "./await-container.ts";
import { buildImage } from "./build.ts";
import {
  removeContainer,
  renameContainer,
  startContainer,
  startContainerAgain,
  stopContainer,
} from "./containers.ts";
import type { HostEnvironment } from "./docker-config.ts";
import { checkEngine } from "./engine.ts";
import { attendExec, execInContainer } from "./exec.ts";
import { type EngineAddress, findEngine } from "./find-engine.ts";
import { readImageFile } from "./image-file.ts";
import { findImage, pullImage } from "./images.ts";
import { allInstances, findContainer, instanceParts, strangersOf } from "./inspect-parts.ts";
import { layersOn } from "./layered-volumes.ts";
import { boundAnswers, limitAnswers, type OnSlow } from "./limit-answers.ts";
import { loadImages } from "./load-images.ts";
import { acquireLock } from "./lock.ts";
import { logLimitsOf } from "./log-limits.ts";
import { logLines } from "./logs.ts";
import { namingEngine } from "./naming-engine.ts";
import { createNetwork, joinNetwork, removeNetwork } from "./networks.ts";
import { openEngine } from "./open-engine.ts";
import { opensFiles } from "./opens-files.ts";
import { buildSilenceMs, limitIn, patienceIn } from "./patience.ts";
import { nameLeader } from "./ports-inside.ts";
import { isInRegistry, pushImage } from "./push-image.ts";
import { removeBuiltImages, removeImage, removeUnnamed } from "./remove-built-images.ts";
import { removeInstance } from "./remove-instance.ts";
import { seesFolder } from "./sees-folder.ts";
import { withSidecars } from "./sidecars.ts";
import { takesRuntime } from "./takes-runtime.ts";
import { readFiles, writeFiles } from "./volume-files.ts";
import { makeVolume, removeVolume } from "./volumes.ts";

/** `env`: the variables by which the Engine is found, as for the docker command line. */
type DockerOptions = ({ env: HostEnvironment } | { socketPath: string }) & {
  /**
   * How long each request may take until its answer is complete, whatever it is; longer where
   * SETT_DOCKER_TIMEOUT in `env` says so.
   */
  limitMs?: number;
  /**
   * Without `limitMs`: how long most requests may take (patience.ts). Default: SETT_DOCKER_TIMEOUT
   * in `env`, else two minutes.
   */
  patienceMs?: number;
  /** Its abort leaves the requests under way a moment to end. */
  interrupted?: AbortSignal;
  /** A sentence for people, at times, while answers take long and there is no `limitMs`. */
  onSlow?: OnSlow;
};

/** Does not connect yet; `check` finds out whether the Engine answers. */
export async function dockerRuntime(options: DockerOptions): Promise<EngineRuntime> {
  const env = "env" in options ? options.env : {};
  const address: EngineAddress =
    "env" in options
      ? await findEngine(env)
      : {
          kind: "socket",
          path: options.socketPath,
          isForwarded: false,
          by: options.socketPath,
          tried: [options.socketPath],
        };
  const docker = await openEngine(address, env);
  nameLeader(docker, address.tried.join(", "));
  const { limitMs, patienceMs = limitMs ?? patienceIn(env) } = options;
  if (limitMs !== undefined) limitAnswers(docker, limitIn(env, limitMs));
  else boundAnswers(docker, patienceMs, options);
  const silenceMs = buildSilenceMs(patienceMs);
  const logLimits = logLimitsOf(docker);
  const named = <Port extends object>(port: Port) => namingEngine(port, address, env);
  const observe: Observe = {
    check: () => checkEngine(docker),
    instances: (workspace) => allInstances(docker, workspace),
    parts: (instance) => instanceParts(docker, instance),
    find: (container) => findContainer(docker, container),
    logs: (container, which) => logLines(docker, container, which),
    exec: (container, command, input) => execInContainer(docker, container, command, input),
    connect: async (container, port) =>
      connectTo(await findContainer(docker, container), container, port),
    readFiles: (volume) => readFiles(docker, volume),
  };
  const apply: Apply = {
    lock: (instance, holder, signal) => acquireLock(docker, lockName(instance), holder, signal),
    start: async (spec) => startContainer(docker, spec, await logLimits()),
    startAgain: (container) => startContainerAgain(docker, container),
    rename: (container, name) => renameContainer(docker, container, name),
    stop: (container, timeoutSeconds) => stopContainer(docker, container, timeoutSeconds),
    remove: (container) => removeContainer(docker, container),
    makeVolume: (volume) => makeVolume(docker, volume),
    writeFiles: (volume, files, how) => writeFiles(docker, volume, files, how),
    removeVolume: (name) => removeVolume(docker, name),
    createNetwork: (name, labels, kind) => createNetwork(docker, name, labels, kind),
    joinNetwork: (name, container) => joinNetwork(docker, name, container),
    removeNetwork: (name, id) => removeNetwork(docker, name, id),
    removeInstance: (instance, keeping) => removeInstance(docker, instance, keeping),
  };
  const images: Images = {
    find: (tag) => findImage(docker, tag),
    readFile: (image, path) => readImageFile(docker, image, path),
    pull: (tag, progress) => pullImage(docker, tag, progress, env),
    push: (tag, progress) => pushImage(docker, tag, progress, env),
    isPushed: (digest) => isInRegistry(docker, digest, env),
    build: (spec, progress) => buildImage(docker, spec, progress, { address, env, silenceMs }),
    untag: (tag) => removeImage(docker, tag),
    removeUnnamed: (id) => removeUnnamed(docker, id),
    load: (archive, options) => loadImages(docker, archive, options),
    removeBuilt: (instance, own) => removeBuiltImages(docker, instance, own),
  };
  const wait: Workers["wait"] = (container, signal) => waitForEnd(docker, container, signal);
  const beside = (own: Apply) => ({ ...own, ...withSidecars(docker, logLimits) });
  return {
    observe: named(observe),
    apply: named(apply),
    workers: named(workersOf(observe, beside(apply), wait, named(layersOn(docker)))),
    ...named({
      attend: (container: string, command: string[], attended: Attended) =>
        attendExec(docker, container, command, attended),
    }),
    engine: named({
      images: named(images),
      strangers: (instance: InstanceName) => strangersOf(docker, instance),
      seesFolder: (folder: string, labels: PartLabels) => seesFolder(docker, folder, labels),
      opensFiles: (files: number, labels: PartLabels) => opensFiles(docker, files, labels),
      takesRuntime: (name: string, labels: PartLabels) => takesRuntime(docker, name, labels),
    }),
  };
}

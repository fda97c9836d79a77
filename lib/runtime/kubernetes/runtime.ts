// The runtime of a Kubernetes cluster: the parts of an instance are pods of one namespace.
import { z } from "zod";
import { SettError } from "../../model/errors.ts";
import type { InstanceName } from "../../model/ids.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { Owner } from "../container-spec.ts";
import { madeLabel } from "../labels.ts";
import type {
  Apply,
  Attend,
  AttendedRuntime,
  Carrier,
  EngineInfo,
  Observe,
  VolumeReader,
  Workers,
} from "../port.ts";
import { workersOf } from "../workers.ts";
import {
  findWorkload,
  isForbidden,
  keepGifts,
  makeClaim,
  makeMarker,
  removeClaim,
  removeInstanceParts,
  removeMarker,
  removePart,
  renamePart,
  startPart,
  startPartAgain,
  stopPart,
} from "./apply.ts";
import { attendInPod, execInPod, openPort } from "./channels.ts";
import { KubeClient } from "./client.ts";
import { type Place, podsOf, readInstances } from "./inspect.ts";
import { findCluster } from "./kubeconfig.ts";
import { LedPorts } from "./lead.ts";
import { acquireLease } from "./lock.ts";
import type { Note } from "./note-slow.ts";
import { linesOfPart } from "./part-logs.ts";
import { newest } from "./pod.ts";
import { requireRights } from "./rights.ts";
import { bytesOf, coresOf, Nodes } from "./room.ts";
import { readFiles, removeIdlePods, writeFiles } from "./volume-files.ts";
import { waitForPod, watchPod } from "./watch-pod.ts";

/** `context`: else the current one of the kubeconfig. */
export type ClusterPlace = { context?: string | undefined; namespace: string };

type Options = ClusterPlace & {
  env: Readonly<Record<string, string | undefined>>;
  workspaceOf: Place["workspaceOf"];
  /** Aborted with `over` when the program has nothing more to do. */
  interrupted: AbortSignal;
  /** Gets what is waited for, where that takes long. */
  onSlow?: Note;
};

/** Reads the kubeconfig, and does not connect yet. Throws `kubernetes-unreachable`. */
export async function kubernetesRuntime({
  context,
  namespace,
  env,
  workspaceOf,
  interrupted,
  onSlow: note,
}: Options): Promise<AttendedRuntime> {
  const client = new KubeClient(await findCluster(env, context));
  const led = new LedPorts();
  const onAbort = () => {
    if (interrupted.reason === "over") led.closeAll();
  };
  interrupted.addEventListener("abort", onAbort, { once: true });
  const portOf = async (made: string, port: number) =>
    await openPort(client, { namespace, pod: await podOf(place, made) }, port);
  const leadTo = (made: string, port: number) =>
    led.leadTo(`${made}:${port}`, () => portOf(made, port));
  const place: Place = { client, namespace, workspaceOf, leadTo, note };
  const parts = async (instance: InstanceName) =>
    (await readInstances(place)).find((each) => each.instance === instance) ?? {
      ...{ instance, containers: [], volumes: [], networks: [] },
    };
  const observe: Observe = {
    check: async () => {
      const info = await checkCluster(client);
      await requireRights(client, namespace);
      return info;
    },
    instances: () => readInstances(place),
    parts,
    find: async (name) =>
      (await readInstances(place))
        .flatMap(({ containers }) => containers)
        .find((part) => part.name === name || part.id === name),
    logs: (name, options) => linesOfPart(place, name, options),
    exec: async (name, command, input) => {
      const pod = await podOf(place, await madeOf(place, name));
      return await execInPod(client, { namespace, pod }, command, input);
    },
    connect: async (name, port) => await portOf(await madeOf(place, name), port),
    readFiles: (volume, by) => readFiles(place, volume, carried(by)),
  };
  const attend: Attend = async (name, command, attended) => {
    const pod = await podOf(place, await madeOf(place, name));
    using watch = watchPod(client, { namespace, pod });
    return await attendInPod(client, { namespace, pod }, command, attended, watch.lost);
  };
  const apply: Apply = {
    lock: async (instance, holder, signal) => {
      const lock = await acquireLease({ client, namespace, instance, note }, holder, signal);
      if (lock.outcome === "held") await removeIdlePods(place, instance);
      return lock;
    },
    start: (spec) => startPart(place, spec),
    keepGifts: (part, texts) => keepGifts(place, part, texts),
    startAgain: (name) => startPartAgain(place, name),
    rename: (name, other) => renamePart(place, name, other),
    stop: (name, timeoutSeconds) => stopPart(place, name, timeoutSeconds),
    remove: (name) => removePart(place, name),
    makeVolume: (volume) => makeClaim(place, volume),
    writeFiles: (volume, files, { owner, carrier, signal }) =>
      writeFiles(place, volume, files, { ...carried({ owner, carrier }), signal }),
    removeVolume: (name) => removeClaim(place, name),
    createNetwork: (name, labels) => makeMarker(place, name, labels),
    // Policies say who reaches whom.
    joinNetwork: async () => {},
    removeNetwork: (name) => removeMarker(place, name),
    removeInstance: (instance, keeping) => removeInstanceParts(place, instance, keeping),
  };
  const wait: Workers["wait"] = async (name, signal) => {
    const pod = await podOf(place, await madeOf(place, name));
    return await waitForPod(client, { namespace, pod }, signal);
  };
  return { observe, apply, workers: workersOf(observe, apply, wait), attend };
}

function carried(by: { owner: Owner; carrier?: Carrier | undefined } | undefined): VolumeReader {
  if (by?.carrier !== undefined) return { owner: by.owner, carrier: by.carrier };
  throw new Error("The files of a claim are read and written by a pod.");
}

/** Throws `not-ready` where there is no such part. */
async function madeOf(place: Place, name: string): Promise<string> {
  const made = (await findWorkload(place, name))?.metadata.labels[madeLabel];
  if (made !== undefined) return made;
  throw new SettError("not-ready", `There is no part ${name} in the namespace ${place.namespace}.`);
}

/** Throws `not-ready` where nothing runs. */
async function podOf(place: Place, made: string): Promise<string> {
  const pod = newest(await podsOf(place, made));
  if (pod !== undefined) return pod.metadata.name;
  throw new SettError("not-ready", "The part has no pod yet.");
}

const Version = z.object({ gitVersion: z.string().default("") });
/** Of a cluster whose nodes this user may not see. */
const unseen = { architecture: "amd64", cpus: 64, memoryBytes: 8 * 1024 ** 3 };

async function checkCluster(client: KubeClient): Promise<EngineInfo> {
  const { gitVersion: version } = Version.parse(await client.json("/version"));
  const limits = { canLimitSystemCalls: false, canLimitProcessors: true, isRootless: false };
  try {
    const { items } = Nodes.parse(await client.list("Node", ""));
    const of = items.map(({ status }) => ({
      architecture: status.nodeInfo.architecture,
      cpus: coresOf(status.allocatable.cpu),
      memoryBytes: bytesOf(status.allocatable.memory) ?? 0,
    }));
    const [largest] = of.toSorted((a, b) => b.cpus - a.cpus);
    return { version, ...limits, ...withoutUndefined(largest ?? unseen) };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { version, ...limits, ...unseen };
  }
}

// The files of a claim, out of it and into it: by a pod of Sett's own orchestrator that is there
// for them alone, beside the part whose claim it is or while that one is down.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { sleep } from "../../async/sleep.ts";
import { SettError } from "../../model/errors.ts";
import type { InstanceName } from "../../model/ids.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { ContainerSpec, Owner } from "../container-spec.ts";
import { componentLabel, type PartLabels } from "../labels.ts";
import { idleName } from "../names.ts";
import type { Carrier, VolumeFile, VolumeReader } from "../port.ts";
import { readTar, writeTar } from "../tar.ts";
import { removeAll, startPart } from "./apply.ts";
import { attendInPod } from "./channels.ts";
import { type Place, podsOf, readInstances } from "./inspect.ts";
import { partLabel, selectorOf } from "./manifests.ts";
import { hasEnded, newest, stateOf } from "./pod.ts";
import { problemOf } from "./problem.ts";
import { watchPod } from "./watch-pod.ts";

/** The program knows its place (apps/orchestrator/volume-modes.ts). */
const folder = "/volume";
const program = "/orchestrator";
const resources = { memoryBytes: 512 * 1024 ** 2, nanoCpus: 1e9 };
const pollMs = 200;
const beginsWithinMs = 120_000;
const goneWithinMs = 30_000;

const Pods = z.object({ items: z.array(z.unknown()).default([]) });

/** Parts have other components than their claims: only such pods have these. */
const ofClaims = `${componentLabel} in (blackboard,record,proof)`;

export async function* readFiles(
  place: Place,
  volume: string,
  by: VolumeReader,
): AsyncGenerator<VolumeFile> {
  await using pod = await openPod(place, volume, by);
  const archive = new PassThrough();
  const reading = pod.run("--read-volume", empty(), async (bytes) => {
    if (!archive.destroyed && !archive.write(bytes))
      await Promise.race([once(archive, "drain"), once(archive, "close")]);
  });
  reading.then(
    () => archive.end(),
    (error: unknown) => archive.destroy(error as Error),
  );
  try {
    for await (const { name, size, content } of readTar(archive))
      yield { path: name, size, content };
  } finally {
    archive.destroy();
  }
}

export async function writeFiles(
  place: Place,
  volume: string,
  files: AsyncIterable<VolumeFile>,
  { owner, carrier, signal }: VolumeReader & { signal: AbortSignal },
): Promise<void> {
  await using pod = await openPod(place, volume, { owner, carrier }, signal);
  let failure: unknown;
  const archive = async function* () {
    try {
      yield* writeTar(files, { mode: 0o600, owner });
    } catch (error) {
      // The program finds the archive cut, and ends.
      failure = error;
    }
  };
  await pod
    .run("--write-volume", archive(), async () => {})
    .catch((error: unknown) => {
      throw failure ?? error;
    });
}

async function* empty(): AsyncGenerator<Uint8Array> {}

type IdlePod = AsyncDisposable & {
  /** Throws `kubernetes-failed` with what the program says. */
  run(
    mode: string,
    input: AsyncIterable<Uint8Array>,
    onOutput: (bytes: Uint8Array) => Promise<void>,
  ): Promise<void>;
};

async function openPod(
  place: Place,
  volume: string,
  { owner, carrier }: { owner: Owner; carrier: Carrier },
  signal = new AbortController().signal,
): Promise<IdlePod> {
  const { client, namespace } = place;
  const labels = await labelsOfClaim(place, volume);
  const name = idleName(volume, randomBytes(4).toString("hex"));
  const close = async () => await removePods(place, labels.instance, `${partLabel}=${name}`);
  const beside = await holderOf(place, volume);
  const { id } = await startPart(place, specOf({ name, volume, labels, owner, carrier, beside }));
  try {
    const pod = await untilRunning(place, { made: id, volume }, signal);
    return {
      run: async (mode, input, onOutput) => {
        using watch = watchPod(client, { namespace, pod });
        let said = "";
        const attended = {
          input,
          onOutput: async (stream: "stdout" | "stderr", bytes: Uint8Array) => {
            if (stream === "stdout") await onOutput(bytes);
            else said += Buffer.from(bytes).toString();
          },
        };
        const command = [program, mode];
        const code = await attendInPod(client, { namespace, pod }, command, attended, watch.lost);
        if (code !== 0) throw failed(volume, said.trim() || `exit code ${code}`);
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Throws `not-ready` where there is no such claim. */
async function labelsOfClaim(place: Place, volume: string): Promise<PartLabels> {
  const claims = (await readInstances(place)).flatMap(({ volumes }) => volumes);
  const found = claims.find(({ name }) => name === volume);
  if (found !== undefined) return found.labels;
  const message = `There is no claim ${volume} in the namespace ${place.namespace}.`;
  throw new SettError("not-ready", message);
}

const Mounting = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()).default({}) }),
  spec: z.object({
    volumes: z
      .array(z.object({ persistentVolumeClaim: z.object({ claimName: z.string() }).nullish() }))
      .default([]),
  }),
  status: z.object({ phase: z.string().default("") }),
});

/** The part that has the claim now; undefined where none runs. */
async function holderOf({ client, namespace }: Place, volume: string): Promise<string | undefined> {
  const { items } = Pods.parse(await client.list("Pod", namespace));
  const pods = items.flatMap((item) => Mounting.safeParse(item).data ?? []);
  const holder = pods.find(
    ({ spec, status }) =>
      status.phase === "Running" &&
      spec.volumes.some(({ persistentVolumeClaim: claim }) => claim?.claimName === volume),
  );
  return holder?.metadata.labels[partLabel];
}

type Wanted = VolumeReader & {
  name: string;
  volume: string;
  labels: PartLabels;
  beside: string | undefined;
};

function specOf({ name, volume, labels, owner, carrier, beside }: Wanted): ContainerSpec {
  const { image, pullSecret, nodeSelector } = carrier;
  return {
    ...{ name, image, labels, env: {}, user: owner, resources },
    command: ["--hold-volume"],
    mounts: [{ kind: "volume", volume, target: folder, access: "rw" }],
    network: "none",
    placement: withoutUndefined({ pullSecret, nodeSelector, beside }),
    ...{ capabilities: "none", isRootReadOnly: true, restart: "no", stopTimeoutSeconds: 1 },
  };
}

/** Throws `kubernetes-failed` with the cluster's reason, and `interrupted`. */
async function untilRunning(
  place: Place,
  { made, volume }: { made: string; volume: string },
  signal: AbortSignal,
): Promise<string> {
  const begun = Date.now();
  for (;;) {
    const pod = newest(await podsOf(place, made));
    if (pod !== undefined && stateOf(pod).state === "running") return pod.metadata.name;
    if (hasEnded(pod)) throw failed(volume, "the program of its pod has ended");
    const problem = problemOf(pod, { conditions: [], namespace: place.namespace });
    const waitedMs = Date.now() - begun;
    if (problem?.isFinal || waitedMs > (problem?.limitMs ?? beginsWithinMs))
      throw failed(volume, problem?.sentence ?? "its pod does not begin", problem?.remedy);
    await sleep(pollMs, signal);
    if (signal.aborted) throw new SettError("interrupted", "Interrupted.");
  }
}

function failed(volume: string, why: string, hint?: string): SettError {
  return new SettError(
    "kubernetes-failed",
    `The files of the claim ${volume} could not be read or written: ${why}`,
    { hint },
  );
}

/** Call this under the lock of the instance: no other command reads its claims then. */
export async function removeIdlePods(
  place: Pick<Place, "client" | "namespace">,
  instance: InstanceName,
): Promise<void> {
  await removePods(place, instance, ofClaims);
}

/** Returns once they are gone: a disk may be for one node at a time. */
async function removePods(
  place: Pick<Place, "client" | "namespace">,
  instance: InstanceName,
  which: string,
): Promise<void> {
  const { client, namespace } = place;
  const selector = `${selectorOf(instance)},${which}`;
  await Promise.all(
    (["Pod", "Secret", "NetworkPolicy"] as const).map((kind) => removeAll(place, kind, selector)),
  );
  // A node that is away ends none, and is not waited for.
  const last = Date.now() + goneWithinMs;
  const areLeft = async () =>
    Pods.parse(await client.list("Pod", namespace, selector)).items.length > 0;
  while ((await areLeft()) && Date.now() < last) await pause(pollMs);
}

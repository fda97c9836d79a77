// Workers as Jobs of a cluster, for the starter. The cluster is asked, and nothing of it is stored:
// a starter that begins anew finds by their names what runs.
import { z } from "zod";
import { sleep } from "../../async/sleep.ts";
import { SettError } from "../../model/errors.ts";
import type { InstanceName } from "../../model/ids.ts";
import type { ContainerSpec } from "../container-spec.ts";
import { labelsFor, readLabels } from "../labels.ts";
import { isNameOf, serviceBeside, sidecarName, workerBeside } from "../names.ts";
import type { ContainerPart, LogLine, LogOptions, Workers } from "../port.ts";
import { hostsOf } from "./apply.ts";
import type { KubeClient } from "./client.ts";
import { causeOfEnd, exitCodeOf, Job, jobNameLabel, podsOfJob, workerObjects } from "./job.ts";
import { podLines } from "./logs.ts";
import { selectorOf } from "./manifests.ts";
import { newest, Pod, stateOf } from "./pod.ts";
import { bytesOf } from "./room.ts";
import { containerOf, ReadyClock, serviceOf } from "./sidecars.ts";

const Jobs = z.object({ items: z.array(Job).nullish() });
const Pods = z.object({ items: z.array(Pod).nullish() });

/** All that wait for an end look together, and not more often. */
const lookEveryMs = 500;
const graceSeconds = 1;

type Options = {
  client: KubeClient;
  instance: InstanceName;
  /** The namespaces of the services, and of the Jobs. */
  home: string;
  namespace: string;
};

type JobWithPods = { job: Job; pods: Pod[] };

export class JobWorkers implements Workers {
  readonly #client: KubeClient;
  readonly #options: Options;
  readonly #selector: string;
  readonly #secrets = new Set<string>();
  /** Workers as they were when their end was seen: an evicted pod is gone soon after. */
  readonly #ended = new Map<string, JobWithPods>();
  readonly #ready = new ReadyClock(() => performance.now());
  #last: { atMs: number; seen: Promise<ReadonlyMap<string, JobWithPods>> } | undefined;

  constructor(options: Options) {
    this.#client = options.client;
    this.#options = options;
    this.#selector = `${selectorOf(options.instance)},dev.sett.component=worker`;
  }

  /** Nothing but the workers, and the services beside them. */
  async parts(instance: InstanceName) {
    const seen = await this.#look();
    const containers = [...seen.values()].flatMap((each) => {
      const worker = partOf(each);
      return worker === undefined ? [] : [worker, ...partsBeside(worker, each)];
    });
    return { instance, containers, volumes: [], networks: [] };
  }

  async find(name: string): Promise<ContainerPart | undefined> {
    const found = await this.#see(name);
    if (found === undefined) return undefined;
    const ended = this.#ended.get(name);
    const isSame = ended?.job.metadata.uid === found.job.metadata.uid;
    return partOf(isSame ? ended : found);
  }

  async start(spec: ContainerSpec): Promise<{ id: string }> {
    const { home, namespace, instance } = this.#options;
    const hosts = await hostsOf({ client: this.#client, namespace: home }, instance);
    const { secrets, job } = workerObjects(spec, hosts);
    for (const secret of secrets) {
      if (this.#secrets.has(secret.metadata.name)) continue;
      await this.#client.create(secret, namespace);
      this.#secrets.add(secret.metadata.name);
    }
    if (await this.#client.create(job, namespace)) return { id: spec.name };
    throw new SettError("instance-taken", `There is a worker ${spec.name} already.`);
  }

  async remove(name: string): Promise<void> {
    const { namespace } = this.#options;
    const found = await this.#see(name);
    this.#ended.delete(name);
    await this.#client.remove("Job", namespace, name);
    const pods = found?.pods ?? [];
    await Promise.all(
      pods.map(({ metadata }) =>
        this.#client.remove("Pod", namespace, metadata.name, graceSeconds),
      ),
    );
  }

  /** Its disk is a folder of its pod. */
  async makeVolume(): Promise<"kept"> {
    return "kept";
  }

  async *logs(name: string, options?: LogOptions): AsyncGenerator<LogLine> {
    const service = serviceBeside(name);
    const pod = newest((await this.#see(workerBeside(name) ?? name))?.pods ?? []);
    if (pod === undefined) return;
    const container = service === undefined ? {} : { container: containerOf(service) };
    const place = {
      namespace: this.#options.namespace,
      ...{ pod: pod.metadata.name, ...container },
    };
    yield* podLines(this.#client, place, options);
  }

  /** Throws `interrupted`, and `kubernetes-failed` where there is none. */
  async wait(name: string, signal = new AbortController().signal): Promise<number> {
    for (;;) {
      const found = (await this.#lookTogether()).get(name);
      // It may be younger than what was seen.
      const seen = found ?? (await this.#see(name));
      if (seen === undefined)
        throw new SettError("kubernetes-failed", `There is no worker ${name}.`);
      const exitCode = exitCodeOf(seen.job, seen.pods);
      if (exitCode !== undefined) {
        if (this.#ended.get(name)?.job.metadata.uid !== seen.job.metadata.uid)
          this.#ended.set(name, seen);
        return exitCode;
      }
      await sleep(lookEveryMs, signal);
      if (signal.aborted) throw new SettError("interrupted", "Interrupted.");
    }
  }

  async #lookTogether(): Promise<ReadonlyMap<string, JobWithPods>> {
    const nowMs = performance.now();
    if (this.#last === undefined || nowMs - this.#last.atMs >= lookEveryMs)
      this.#last = { atMs: nowMs, seen: this.#look() };
    return await this.#last.seen;
  }

  async #look(): Promise<ReadonlyMap<string, JobWithPods>> {
    const { namespace } = this.#options;
    const [jobs, pods] = await Promise.all([
      this.#client.list("Job", namespace, this.#selector),
      this.#client.list("Pod", namespace, this.#selector),
    ]);
    const all = (Pods.parse(pods).items ?? []).map((pod) => this.#ready.look(pod));
    const names = new Set(all.map(({ metadata }) => metadata.name));
    this.#ready.forget((pod) => !names.has(pod));
    return new Map(
      (Jobs.parse(jobs).items ?? []).map((job) => [
        job.metadata.name,
        { job, pods: podsOfJob(all, job) },
      ]),
    );
  }

  async #see(name: string): Promise<JobWithPods | undefined> {
    const { namespace } = this.#options;
    const found = await this.#client.find("Job", namespace, name);
    if (found === undefined) return undefined;
    const job = Job.parse(found);
    const pods = await this.#client.list("Pod", namespace, `${jobNameLabel}=${name}`);
    const all = (Pods.parse(pods).items ?? []).map((pod) => this.#ready.look(pod));
    return { job, pods: podsOfJob(all, job) };
  }
}

/** Undefined for what Sett has not made. */
function partOf({ job, pods }: JobWithPods): ContainerPart | undefined {
  const { metadata, spec } = job;
  const labels = readLabels(metadata.annotations);
  if (labels === undefined || !isNameOf(labels, metadata.name)) return undefined;
  const pod = newest(pods);
  const exitCode = exitCodeOf(job, pods);
  const cause = exitCode === undefined ? undefined : causeOfEnd(job, pods);
  const ended = pod?.status.containerStatuses?.[0]?.state.terminated;
  const memory = pod?.spec.containers[0]?.resources?.limits?.memory;
  const [container] = spec.template.spec.containers;
  const image = container?.image ?? "";
  return {
    ...{ id: metadata.uid, name: metadata.name, labels, image: { tag: image, id: image } },
    state:
      exitCode === undefined
        ? stateOf(pod)
        : { state: "exited", exitCode, endedAt: metadata.creationTimestamp },
    ...{ restarts: 0, ports: [], isOutOfMemory: ended?.reason === "OOMKilled" },
    memoryBytes: memory === undefined ? undefined : bytesOf(memory),
    createdAt: metadata.creationTimestamp,
    env: Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value])),
    ...(cause !== undefined && { problem: { ...cause, isFinal: true } }),
  };
}

/** A service that the cluster has started again shows how it ended before. */
function partsBeside(worker: ContainerPart, { pods }: JobWithPods): ContainerPart[] {
  const { labels } = worker;
  const pod = newest(pods);
  if (labels.component !== "worker" || pod === undefined) return [];
  return pod.spec.initContainers.flatMap(({ name, image, resources }) => {
    const service = serviceOf(name);
    if (service === undefined) return [];
    const found = pod.status.initContainerStatuses?.find((each) => each.name === name);
    const end = found?.lastState.terminated;
    const memory = resources?.limits?.memory;
    return [
      {
        ...{ id: `${worker.id}.${name}`, name: sidecarName(worker.name, service) },
        labels: labelsFor(labels, { component: "sidecar" as const, agent: labels.agent }),
        image: { tag: image, id: image },
        state:
          end === undefined
            ? { state: "running" as const, startedAt: "", health: "none" as const }
            : { state: "exited" as const, exitCode: end.exitCode, endedAt: end.finishedAt ?? "" },
        ...{ restarts: found?.restartCount ?? 0, ports: [], env: {} },
        isOutOfMemory: end?.reason === "OOMKilled",
        memoryBytes: memory === undefined ? undefined : bytesOf(memory),
        createdAt: worker.createdAt,
      },
    ];
  });
}

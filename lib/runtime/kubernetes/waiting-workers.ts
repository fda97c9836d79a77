// Reads which workers of a namespace's instances a cluster does not run, and why.
import { z } from "zod";
import type { InstanceName } from "../../model/ids.ts";
import { readLabels } from "../labels.ts";
import { isNameOf } from "../names.ts";
import type { ContainerPart } from "../port.ts";
import type { KubeClient } from "./client.ts";
import { exitCodeOf, Job, podsOfJob } from "./job.ts";
import { managedBy } from "./manifests.ts";
import { newest, Pod } from "./pod.ts";
import { problemOf } from "./problem.ts";
import { ifAllowed, readRefusals, readRoom } from "./said.ts";
import { workersNamespace } from "./workers-namespace.ts";

const Jobs = z.object({ items: z.array(Job).nullish() });
const Pods = z.object({ items: z.array(Pod).nullish() });

export type WaitingWorkers = NonNullable<ContainerPart["waiting"]>;

const selector = [
  ...Object.entries(managedBy).map(([name, value]) => `${name}=${value}`),
  "dev.sett.component=worker",
].join(",");

/** `home`: the namespace of the instances. Nothing for who may not ask. */
export async function readWaiting(
  client: KubeClient,
  home: string,
): Promise<(of: InstanceName) => WaitingWorkers> {
  const namespace = workersNamespace(home);
  const read = await ifAllowed(
    Promise.all([client.list("Job", namespace, selector), client.list("Pod", namespace, selector)]),
  );
  if (read === undefined) return () => [];
  const jobs = Jobs.parse(read[0]).items ?? [];
  const pods = Pods.parse(read[1]).items ?? [];
  const going = jobs.flatMap((job) => {
    const own = podsOfJob(pods, job);
    return exitCodeOf(job, own) === undefined ? [{ job, pod: newest(own) }] : [];
  });
  const alone = going.flatMap(({ job, pod }) => (pod === undefined ? [job] : []));
  const [refusals, room] = await Promise.all([
    alone.length === 0 ? new Map() : readRefusals({ client, namespace }, "Job"),
    readRoom(client, pods),
  ]);
  const waiting = going.flatMap(({ job: { metadata }, pod }) => {
    const labels = readLabels(metadata.annotations);
    if (labels === undefined || !isNameOf(labels, metadata.name)) return [];
    const said = { namespace, conditions: [], refused: refusals.get(metadata.uid), room };
    const problem = problemOf(pod, said);
    if (problem === undefined) return [];
    const { sentence } = problem;
    return [{ instance: labels.instance, worker: { name: metadata.name, sentence } }];
  });
  return (of) => waiting.flatMap(({ instance, worker }) => (instance === of ? [worker] : []));
}

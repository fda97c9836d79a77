// The parts of one instance and their logs, for a program that may read nothing else of a cluster:
// no Secret, and so no variable of a part.
import type { InstanceName } from "../../model/ids.ts";
import { madeLabel, readLabels } from "../labels.ts";
import { isNameOf } from "../names.ts";
import type { ContainerPart, LogLine, LogOptions, Observe } from "../port.ts";
import { findWorkload } from "./apply.ts";
import { listWorkloads, type Place, podsOf, type WorkloadObject } from "./inspect.ts";
import { JobWorkers } from "./job-workers.ts";
import { linesOfAll, podLines } from "./logs.ts";
import { selectorOf } from "./manifests.ts";
import { exitedOf, livingOf, type Pod, stateOf } from "./pod.ts";

type Where = Pick<Place, "client" | "namespace">;

/** The lines of all pods of a part; none where there is no such part. */
export async function* linesOfPart(
  place: Where,
  name: string,
  options?: LogOptions,
): AsyncGenerator<LogLine> {
  const { client, namespace } = place;
  const made = (await findWorkload(place, name))?.metadata.labels[madeLabel];
  const pods = made === undefined ? [] : livingOf(await podsOf(place, made));
  yield* linesOfAll(
    pods.map(({ metadata }) => podLines(client, { namespace, pod: metadata.name }, options)),
    options,
  );
}

/** `home`: the namespace of the instance. `workers`: theirs, where it has some. */
type Reading = Pick<Place, "client"> & {
  instance: InstanceName;
  home: string;
  workers: string | undefined;
};

export function partLogs({
  client,
  instance,
  home,
  workers,
}: Reading): Pick<Observe, "parts" | "find" | "logs"> {
  const place = { client, namespace: home };
  const jobs =
    workers === undefined
      ? undefined
      : new JobWorkers({ client, instance, home, namespace: workers });
  const ownParts = async () => {
    const selector = `,${selectorOf(instance)}`;
    const [workloads, pods] = await Promise.all([listWorkloads(place, selector), podsOf(place)]);
    return workloads.flatMap((each) => partOf(each, pods));
  };
  const parts = async () => {
    const [own, others] = await Promise.all([ownParts(), jobs?.parts(instance)]);
    return [...own, ...(others?.containers ?? [])];
  };
  const find = async (name: string) =>
    (await parts()).find((part) => part.name === name || part.id === name);
  return {
    parts: async () => ({ instance, containers: await parts(), volumes: [], networks: [] }),
    find,
    logs: async function* (name, options) {
      const part = (await ownParts()).find((each) => each.name === name || each.id === name);
      if (part !== undefined) return yield* linesOfPart(place, part.name, options);
      const worker = await find(name);
      if (worker !== undefined && jobs !== undefined) yield* jobs.logs(worker.name, options);
    },
  };
}

/** None for a thing that Sett has not made. */
function partOf({ metadata, spec, kind }: WorkloadObject, pods: readonly Pod[]): ContainerPart[] {
  const labels = readLabels(metadata.annotations);
  const made = metadata.labels[madeLabel];
  if (labels === undefined || made === undefined || !isNameOf(labels, metadata.name)) return [];
  const [pod] = livingOf(pods.filter((each) => each.metadata.labels[madeLabel] === made));
  const image = spec.template.spec.containers[0]?.image ?? "";
  const createdAt = metadata.creationTimestamp;
  const isOver = spec.replicas === 0 && kind !== "Pod";
  return [
    {
      ...{ id: made, name: metadata.name, labels, image: { tag: image, id: image }, createdAt },
      state: isOver ? exitedOf(pod, createdAt) : stateOf(pod),
      ...{ restarts: 0, isOutOfMemory: false, memoryBytes: undefined, env: {}, ports: [] },
    },
  ];
}

// How much the pods of a cluster ask for, and how much its nodes have left. Pure.
import { z } from "zod";
import type { Pod } from "./pod.ts";

export const Nodes = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({ name: z.string() }),
        spec: z.object({ unschedulable: z.boolean().default(false) }).default({
          unschedulable: false,
        }),
        status: z.object({
          allocatable: z.object({ cpu: z.string().default("1"), memory: z.string().default("0") }),
          nodeInfo: z.object({ architecture: z.string().default("amd64") }),
        }),
      }),
    )
    .default([]),
});
export type Nodes = z.infer<typeof Nodes>;

/** `cpus` and `memoryBytes`: what is free on the node that has most of it. */
export type Room = { nodes: number; cpus: number; memoryBytes: number };

/** `pods`: all of the cluster that have not ended. Undefined where no node takes pods. */
export function roomOf({ items }: Nodes, pods: readonly Pod[]): Room | undefined {
  const free = items
    .filter(({ spec }) => !spec.unschedulable)
    .map(({ metadata: { name }, status: { allocatable } }) => {
      const wishes = pods.filter(({ spec }) => spec.nodeName === name).map(askedBy);
      const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);
      return {
        cpus: coresOf(allocatable.cpu) - sum(wishes.map(({ cpus }) => cpus)),
        memoryBytes:
          (bytesOf(allocatable.memory) ?? 0) - sum(wishes.map(({ memoryBytes }) => memoryBytes)),
      };
    });
  if (free.length === 0) return undefined;
  return {
    nodes: items.length,
    cpus: Math.max(...free.map(({ cpus }) => cpus)),
    memoryBytes: Math.max(...free.map(({ memoryBytes }) => memoryBytes)),
  };
}

export function askedBy({ spec }: Pod): { cpus: number; memoryBytes: number } {
  const requests = [...spec.containers, ...spec.initContainers].map(
    ({ resources }) => resources?.requests ?? {},
  );
  return {
    cpus: requests.reduce((sum, { cpu = "0" }) => sum + coresOf(cpu), 0),
    memoryBytes: requests.reduce((sum, { memory = "0" }) => sum + (bytesOf(memory) ?? 0), 0),
  };
}

export function coresOf(quantity: string): number {
  return quantity.endsWith("m") ? Number(quantity.slice(0, -1)) / 1_000 : Number(quantity);
}

const units: Readonly<Record<string, number>> = {
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  "": 1,
};

/** `500Mi`, `2G` or a number of bytes; undefined for another form. */
export function bytesOf(quantity: string): number | undefined {
  const [, number, unit = ""] = /^([\d.]+)([A-Za-z]*)$/.exec(quantity) ?? [];
  const factor = units[unit];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}

// Decides what is Sett's on an Engine: it has our labels and our name, it has them by its own
// creation, and the id of its instance.
import type { InstanceName } from "../model/ids.ts";
import { madeLabel, type PartLabels, readLabels } from "./labels.ts";
import { isNameOf } from "./names.ts";

type Labels = Readonly<Record<string, string>>;

/**
 * `imageLabels`: those of a container's image, which the Engine gives the container as well, and
 * which say nothing about it. Undefined of a volume, of a network, and of a container that is not
 * looked at more closely yet.
 */
type Candidate = { name: string; labels: Labels | null | undefined; imageLabels?: Labels };

type Known = { labels: PartLabels };

/** Undefined where it is not Sett's, or its labels are incomplete. */
export function ownPart({ name, labels, imageLabels }: Candidate): PartLabels | undefined {
  const known = readLabels({ ...labels });
  if (known === undefined || !isNameOf(known, name)) return undefined;
  const made = labels?.[madeLabel];
  const isMade =
    imageLabels === undefined || (made !== undefined && made !== imageLabels[madeLabel]);
  return isMade ? known : undefined;
}

/**
 * Whether Sett could have given this name to a part of the instance, or of one whose name begins
 * the same.
 */
export function isNameIn(instance: InstanceName, name: string): boolean {
  const [start, next] = [`sett-${instance}`, name.charAt(`sett-${instance}`.length)];
  return name.startsWith(start) && ["", "-", "."].includes(next);
}

/** Leaves out what has no id, or another one than its instance. */
export function withIdOfInstance<Part extends Known>(
  parts: readonly Part[],
  ids: ReadonlyMap<InstanceName, string>,
): Part[] {
  return parts.filter(
    ({ labels }) => labels.id !== undefined && labels.id === ids.get(labels.instance),
  );
}

/** The id of each instance that has one: the blackboard's before any other's. */
export function idsOf(parts: readonly Known[]): Map<InstanceName, string> {
  const ids = new Map<InstanceName, string>();
  const ordered = [...parts].sort((a, b) => rank(a) - rank(b));
  for (const { labels } of ordered)
    if (labels.id !== undefined && !ids.has(labels.instance)) ids.set(labels.instance, labels.id);
  return ids;
}

const order: PartLabels["component"][] = ["blackboard", "record", "proof", "network", "redis"];

function rank({ labels: { component } }: Known): number {
  const first = order.indexOf(component);
  return first === -1 ? order.length : first;
}

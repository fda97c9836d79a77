// Decides what is Sett's on an Engine: it has our labels and our name, it has them by its own
// creation, and the id of its instance.
import type { InstanceName } from "../model/ids.ts";
import { isOlderThan } from "./instance-id.ts";
import {
  componentLabel,
  fingerprintLabel,
  madeLabel,
  type PartLabels,
  readLabels,
} from "./labels.ts";
import { isNameOf, keptVolumeNames } from "./names.ts";

type Labels = Readonly<Record<string, string>>;

/**
 * `imageLabels`: those of a container's image, which the Engine gives the container as well, and
 * which say nothing about it.
 */
type Candidate = { name: string; labels: Labels | null | undefined; imageLabels?: Labels };

/** Undefined where it is not Sett's, or its labels are incomplete. */
export function ownPart({ name, labels, imageLabels = {} }: Candidate): PartLabels | undefined {
  const known = readLabels({ ...labels });
  if (known === undefined || !isNameOf(known, name)) return undefined;
  return isFromImage(labels ?? {}, imageLabels) ? undefined : known;
}

/**
 * Whether Sett could have given this name to a part of the instance, or of one whose name begins
 * the same.
 */
export function isNameIn(instance: InstanceName, name: string): boolean {
  const [start, next] = [`sett-${instance}`, name.charAt(`sett-${instance}`.length)];
  return name.startsWith(start) && ["", "-", "."].includes(next);
}

/** A container of the version before has no label that is its alone. */
function isFromImage(labels: Labels, image: Labels): boolean {
  if (labels[madeLabel] !== undefined) return labels[madeLabel] === image[madeLabel];
  return (
    image[componentLabel] !== undefined && image[fingerprintLabel] === labels[fingerprintLabel]
  );
}

type Known = { labels: PartLabels; createdSeconds: number };

/**
 * Leaves out parts with another id than their instance, and those without one that are younger than
 * it.
 */
export function withIdOfInstance<Part extends Known>(
  parts: readonly Part[],
  ids: ReadonlyMap<InstanceName, string>,
): Part[] {
  return parts.filter(({ labels, createdSeconds }) => {
    const id = ids.get(labels.instance);
    if (id === undefined) return true;
    return labels.id === undefined ? isOlderThan(id, createdSeconds) : labels.id === id;
  });
}

/**
 * The same of volumes, of which the Engine does not say when they were made. One without an id,
 * beside parts that have one, is ours where a container of ours uses it, by the names in `used`.
 * What `sett down` keeps is used by none then: of that the repository must say whose it is
 * (apps/cli/up/checks/take-names.ts).
 */
export function ownVolumes<Part extends Known & { name: string }>(
  parts: readonly Part[],
  ids: ReadonlyMap<InstanceName, string>,
  used: ReadonlySet<string>,
): Part[] {
  return parts.filter(({ name, labels }) => {
    const id = ids.get(labels.instance);
    if (id === undefined || labels.id !== undefined) return id === undefined || labels.id === id;
    return used.has(name) || keptVolumeNames(labels.instance).includes(name);
  });
}

/** The id of each instance that has one: the blackboard's before any other's. */
export function idsOf(parts: readonly Pick<Known, "labels">[]): Map<InstanceName, string> {
  const ids = new Map<InstanceName, string>();
  const ordered = [...parts].sort((a, b) => rank(a) - rank(b));
  for (const { labels } of ordered)
    if (labels.id !== undefined && !ids.has(labels.instance)) ids.set(labels.instance, labels.id);
  return ids;
}

const order: PartLabels["component"][] = ["blackboard", "record", "network", "redis"];

function rank({ labels: { component } }: Pick<Known, "labels">): number {
  const first = order.indexOf(component);
  return first === -1 ? order.length : first;
}

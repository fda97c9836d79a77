// The repository of an instance.
import type { InstanceParts } from "../../../lib/runtime/port.ts";

/** A part of another repository's instance in a cluster has this in the place of a folder. */
export const anothers = "another repository";

/**
 * The path of the instance's repository, from its labels; empty when no part has labels, and where
 * it is another repository's, of which a cluster knows no folder.
 */
export function workspaceOf(parts: InstanceParts): string {
  const named = namedIn(parts);
  return named === anothers ? "" : named;
}

/** By its id it is none of this repository's, and nothing says where that one is. */
export function isAnothers(parts: InstanceParts): boolean {
  return namedIn(parts) === anothers;
}

function namedIn({ containers, networks, volumes }: InstanceParts): string {
  return (
    [...containers, ...networks, ...volumes].find(({ labels }) => labels.workspace !== "")?.labels
      .workspace ?? ""
  );
}

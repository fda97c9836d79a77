// The repository of an instance.
import type { InstanceParts } from "../../../lib/runtime/port.ts";

/** The path of the instance's repository, from its labels; empty when no part has labels. */
export function workspaceOf({ containers, networks, volumes }: InstanceParts): string {
  return (
    [...containers, ...networks, ...volumes].find(({ labels }) => labels.workspace !== "")?.labels
      .workspace ?? ""
  );
}

// Finds out before images are built whether the Engine has addresses for the networks of a new
// instance: it says so only when it makes one.
import type { SettConfig } from "../../../../lib/model/config.ts";
import type { PartLabels } from "../../../../lib/runtime/labels.ts";
import type { InstanceParts, Runtime } from "../../../../lib/runtime/port.ts";
import { plannedNames } from "../plan/planned-names.ts";

type Input = {
  runtime: Pick<Runtime, "apply">;
  config: SettConfig;
  /** The names of the networks that are to be made. */
  labels: PartLabels;
  /** The instance as it is. */
  before: InstanceParts | undefined;
};

/**
 * Makes the networks that are missing, and removes them again: `sett up` makes them when it has its
 * images. Throws `docker-failed`.
 */
export async function requireAddresses({ runtime, config, labels, before }: Input): Promise<void> {
  const present = (before?.networks ?? []).map(({ name }) => name);
  const made: string[] = [];
  try {
    for (const name of plannedNames(labels.instance, config).network) {
      if (present.includes(name)) continue;
      await runtime.apply.createNetwork(name, labels);
      made.push(name);
    }
  } finally {
    // Asked a second time where the Engine fails once: nothing is to be left of this.
    for (const name of made)
      await runtime.apply.removeNetwork(name).catch(() => runtime.apply.removeNetwork(name));
  }
}

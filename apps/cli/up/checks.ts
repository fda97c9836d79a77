// What must hold before `sett up` makes anything.
import { basename } from "node:path";
import type { SettConfig } from "../../../lib/model/config.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { hasAnything, instanceNameOf, workspaceOf } from "../find-instance.ts";
import { deadParts, howItRuns } from "../parts.ts";

/** Throws `config-invalid` for what the file may ask for but this version cannot do: better no agent than one that works differently. */
export function requireSupported({ agents }: SettConfig, file: string): void {
  const asking = agents.filter(({ strategy, replicas }) => strategy === "fresh_per_call" || replicas > 1);
  if (asking.length === 0) return;
  const names = asking.map(({ name }) => name).join(", ");
  throw new SettError(
    "config-invalid",
    `${file} asks for workers (\`strategy: fresh_per_call\`, \`replicas\`) for ${names}, which are not in this version of Sett.`,
    {
      hint: "Use `strategy: reuse` and `replicas: 1`, which are the defaults.",
    },
  );
}

/** The name given, else one made of the folder's. Throws `usage`. */
export function chooseName(given: string | undefined, workspace: string): InstanceName {
  if (given !== undefined) return instanceNameOf(given);
  const fromFolder = basename(workspace)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  const parsed = InstanceName.safeParse(fromFolder);
  if (parsed.success) return parsed.data;
  throw new SettError("usage", `The folder ${workspace} gives no name for the instance.`, {
    hint: "Choose one: sett up --name NAME",
  });
}

/**
 * A blackboard that an earlier `down` has kept is gone on from, if it is this repository's. Throws `instance-taken` and
 * `workspace-taken`.
 */
export function requireFree(instance: InstanceName, workspace: string, all: readonly InstanceParts[]): void {
  const same = all.find((parts) => parts.instance === instance && hasAnything(parts));
  const others = all.filter((parts) => parts.instance !== instance);
  if (same !== undefined) requireOwnLeavings(same, workspace);
  const neighbour = others.find((parts) => isMade(parts) && workspaceOf(parts) === workspace);
  if (neighbour === undefined) return;
  throw new SettError("workspace-taken", `${workspace} has a sett already: ${neighbour.instance}.`, {
    hint: `Use it, or stop it first: sett down --name ${neighbour.instance}`,
  });
}

/** More than a blackboard that was kept. One that is just being made has its network first. */
function isMade({ containers, networks }: InstanceParts): boolean {
  return containers.length + networks.length > 0;
}

function requireOwnLeavings(parts: InstanceParts, workspace: string): void {
  const { instance, containers } = parts;
  const owner = workspaceOf(parts);
  if (isMade(parts)) {
    const where = owner === workspace ? "for this repository" : `for ${owner}`;
    const isRunning = containers.some((container) => container.state.state === "running");
    const dead = isRunning && deadParts(parts) !== "" ? ` (${deadParts(parts)})` : "";
    const how = howItRuns(parts) ?? "just being started or left half-made";
    throw new SettError("instance-taken", `There is an instance ${instance} already, ${how}${dead}, ${where}.`, {
      hint:
        owner === workspace
          ? `\`sett status\` shows how it is. To start it anew: sett down --name ${instance}, then sett up`
          : "Choose another name: sett up --name NAME",
    });
  }
  if (owner === workspace) return;
  throw new SettError("instance-taken", `The name ${instance} belongs to ${owner}, whose blackboard is kept.`, {
    hint: `Choose another name (--name NAME), or remove that blackboard: sett down --name ${instance} --volumes`,
  });
}

// Which instance does a command mean? The labels of containers are the only registry (docs/internals/containers.md#names-and-labels).
import { SettError } from "../../../lib/model/errors.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerRuntime, InstanceParts } from "../../../lib/runtime/port.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";

/** Throws `usage`: an instance's name is part of container names and keys. */
export function instanceNameOf(text: string): InstanceName {
  const parsed = InstanceName.safeParse(text);
  if (parsed.success) return parsed.data;
  const reason = parsed.error.issues.map((issue) => issue.message).join(", and ");
  throw new SettError("usage", `\`${text}\` is no name for an instance: it ${reason}.`, { hint: "For example: --name demo" });
}

/** The path of the repository that an instance works for, as its labels say; empty when nothing of it has any. */
export function workspaceOf({ containers, networks, volumes }: InstanceParts): string {
  return [...containers, ...networks, ...volumes].find(({ labels }) => labels.workspace !== "")?.labels.workspace ?? "";
}

/**
 * The instance of that name, else the one instance of this repository. `isFound` says which ones count. Throws `instance-not-found` and
 * `instance-ambiguous`.
 */
export async function findInstance(
  runtime: Pick<ContainerRuntime, "instances" | "parts">,
  shell: Pick<Shell, "cwd">,
  name: string | undefined,
  isFound: (parts: InstanceParts) => boolean,
): Promise<InstanceParts> {
  if (name !== undefined) {
    const parts = await runtime.parts(instanceNameOf(name));
    if (isFound(parts)) return parts;
    throw hasAnything(parts) ? withoutContainers(parts) : notThere(name);
  }
  const workspace = await workspaceRoot(shell.cwd);
  if (workspace === undefined) {
    throw new SettError("instance-not-found", `${shell.cwd} is not in a git repository, so it has no sett.`, {
      hint: "Go to your repository, or begin one here: git init && sett up. Or name an instance: --name NAME (`sett list` shows them).",
    });
  }
  const own = (await runtime.instances()).filter((parts) => workspaceOf(parts) === workspace);
  const all = own.filter(isFound);
  const [only, ...others] = all;
  if (only === undefined) {
    const [left, ...more] = own;
    if (left !== undefined && more.length === 0) throw withoutContainers(left);
    throw new SettError("instance-not-found", `No sett is running for this repository, ${workspace}.`, {
      hint: "Start one: `sett up`. `sett list` shows those of other repositories.",
    });
  }
  if (others.length > 0) {
    const names = all.map(({ instance }) => instance).join(", ");
    throw new SettError("instance-ambiguous", `This repository has several instances: ${names}.`, {
      hint: `Say which one: --name ${only.instance}`,
    });
  }
  return only;
}

export function notThere(name: string): SettError {
  return new SettError("instance-not-found", `There is no instance ${name}.`, { hint: "`sett list` shows what there is." });
}

/** One of which no container is left: down with its blackboard kept, or never whole. */
function withoutContainers(parts: InstanceParts): SettError {
  const { instance, networks } = parts;
  if (networks.length === 0) {
    return new SettError("instance-not-found", `${instance} is down. Its blackboard is kept.`, {
      hint: `Go on from it, in ${workspaceOf(parts)}: sett up --name ${instance}`,
    });
  }
  return new SettError("instance-not-found", `${instance} is just being started, or was left half-made.`, {
    hint: `Unless it is being started: sett up --name ${instance}`,
  });
}

export function hasContainers({ containers }: InstanceParts): boolean {
  return containers.length > 0;
}

export function hasAnything({ containers, networks, volumes }: InstanceParts): boolean {
  return containers.length + networks.length + volumes.length > 0;
}

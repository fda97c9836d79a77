// Finds the instance of a command. The labels of containers are the only registry
// (docs/internals/containers.md#names-and-labels).
import type { KeptId } from "../../../lib/git/repository/kept-id.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { folderOfProcesses } from "../../../lib/runtime/names.ts";
import type { InstanceParts, Observe } from "../../../lib/runtime/port.ts";
import { notInRepository } from "../program/not-in-repository.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import { wayBack, wayBackToCluster } from "../render/way-back.ts";
import type { Shell } from "../terminal/shell.ts";
import { workspaceOf } from "./workspace-of.ts";

/** Throws `usage`: an instance's name is part of container names and keys. */
export function instanceNameOf(text: string): InstanceName {
  const parsed = InstanceName.safeParse(text);
  if (parsed.success) return parsed.data;
  const reason = parsed.error.issues.map((issue) => issue.message).join(", and ");
  throw new SettError("usage", `\`${text}\` cannot be the name of an instance: it ${reason}.`, {
    hint: "For example: --name demo",
  });
}

/**
 * The instance of that name, else the one instance of this repository, among those that `accepts`
 * accepts. `takesMoved`: also one that the repository had in another folder, as if it had been made
 * where the repository is now; else only `sett up` goes on with it. Throws `instance-not-found` and
 * `instance-ambiguous`.
 */
export async function findInstance(
  observe: Pick<Observe, "instances" | "parts">,
  shell: Pick<Shell, "cwd" | "env">,
  name: string | undefined,
  accepts: (parts: InstanceParts) => boolean,
  { takesMoved = false }: { takesMoved?: boolean } = {},
): Promise<InstanceParts> {
  const workspace = await workspaceRoot(shell.cwd);
  const movedHere = async (all: readonly InstanceParts[]) =>
    workspace === undefined
      ? []
      : await (await import("./moved-instances.ts")).movedInto(all, workspace, shell.env);
  if (name !== undefined) {
    const parts = await observe.parts(instanceNameOf(name));
    if (!accepts(parts))
      throw hasAnything(parts) ? withoutContainers(parts) : instanceNotFound(name);
    const [moved] = takesMoved ? await movedHere([parts]) : [];
    return moved?.now ?? parts;
  }
  if (workspace === undefined) {
    throw await notInRepository(shell.cwd, {
      code: "instance-not-found",
      message: `${shell.cwd} is not in a git repository, so it has no sett.`,
      hint: "Go to your repository, or create one here: git init && sett up. Or name an instance: --name NAME (`sett list` shows them).",
    });
  }
  const own = (await observe.instances(workspace)).filter(
    (parts) => workspaceOf(parts) === workspace,
  );
  const others = own.length > 0 ? [] : await observe.instances();
  const moved = own.length > 0 ? [] : await movedHere(others);
  if (moved[0] !== undefined && !takesMoved) throw wasElsewhere(moved[0].was);
  if (own.length + moved.length === 0 && others.length > 0) {
    const { inOtherWorkTrees } = await import("./other-work-trees.ts");
    const beside = (await inOtherWorkTrees(others, workspace, shell.env)).filter(accepts);
    if (beside[0] !== undefined) throw isInAnotherWorkTree(beside[0], workspace);
  }
  if (own.length + moved.length === 0) {
    const gone = await keptBy(workspace, shell.env, others);
    if (gone[0] !== undefined) {
      const { instance } = gone[0];
      const clusters = await (await import("./clusters.ts")).knownClusters(shell);
      if (clusters.some((known) => known.instance === instance))
        throw isNowhere(gone, workspace, `Is it in another cluster? Then ${wayBackToCluster}`);
      const noted = await gone[0].readEngine();
      const isOfEngine = noted === undefined || folderOfProcesses(noted) === undefined;
      const question = isOfEngine
        ? "Is it with another Docker Engine"
        : "Does this shell look elsewhere";
      throw isNowhere(gone, workspace, `${question}? Then ${wayBack(noted)}`);
    }
  }
  return theOne([...own, ...moved.map(({ now }) => now)], workspace, accepts);
}

/** The instances that the repository has begun, and that are not among those that were found. */
async function keptBy(
  workspace: string,
  env: Shell["env"],
  found: readonly InstanceParts[],
): Promise<KeptId[]> {
  const [{ HostRepository }, { KeptId }] = await Promise.all([
    import("../../../lib/git/repository/host-repository.ts"),
    import("../../../lib/git/repository/kept-id.ts"),
  ]);
  const open = HostRepository.open(workspace, { env, mayBeEmpty: true });
  const repository = await open.catch(() => undefined);
  if (repository === undefined) return [];
  const { place } = repository;
  const kept = (await KeptId.instances(place, env)).map((name) => new KeptId(place, name, env));
  return kept.filter((each) => !found.some(({ instance }) => instance === each.instance));
}

/** A forgotten variable is more likely than an Engine that has lost all. `way`: to the first. */
function isNowhere(kept: readonly KeptId[], workspace: string, way: string): SettError {
  const known = kept.map(({ instance }) => instance).join(", ");
  return new SettError(
    "instance-not-found",
    `No sett is running for this repository, ${workspace}, which has begun ${known}: nothing of it was found.`,
    {
      hint: `${way}. Else start it anew: \`sett up\`.`,
    },
  );
}

/** Throws `instance-not-found` and `instance-ambiguous`. */
function theOne(
  known: readonly InstanceParts[],
  workspace: string,
  accepts: (parts: InstanceParts) => boolean,
): InstanceParts {
  const all = known.filter(accepts);
  const [only, ...others] = all;
  if (only === undefined) {
    const [kept, ...more] = known;
    if (kept !== undefined && more.length === 0) throw withoutContainers(kept);
    throw new SettError(
      "instance-not-found",
      `No sett is running for this repository, ${workspace}.`,
      {
        hint: "Start one: `sett up`. `sett list` shows those of other repositories.",
      },
    );
  }
  if (others.length > 0) {
    const names = all.map(({ instance }) => instance).join(", ");
    throw new SettError("instance-ambiguous", `This repository has several instances: ${names}.`, {
      hint: `Name one: --name ${only.instance}`,
    });
  }
  return only;
}

/** Only `sett up` makes its parts anew where the repository is now. */
function wasElsewhere(parts: InstanceParts): SettError {
  const { instance } = parts;
  const was = `${instance} is the instance of this repository, which was at ${workspaceOf(parts)} when it was started.`;
  return new SettError("instance-not-found", was, {
    hint: `Go on with it here: sett up --name ${instance}. Until then, name it: --name ${instance}`,
  });
}

/** Each work tree may have instances of its own, so that none is taken unasked. */
function isInAnotherWorkTree(parts: InstanceParts, workspace: string): SettError {
  const { instance } = parts;
  return new SettError(
    "instance-not-found",
    `No sett is running for this work tree, ${workspace}; another one of the repository has ${instance}: ${workspaceOf(parts)}.`,
    { hint: `Name it: --name ${instance}. Or start another one here: sett up` },
  );
}

export function instanceNotFound(name: string): SettError {
  return new SettError("instance-not-found", `There is no instance ${name}.`, {
    hint: "`sett list` shows the instances.",
  });
}

/** It has no containers, and more than is left of one that is down. */
export class InstanceBetween extends SettError {}

/**
 * For an instance without containers: it is down with its blackboard kept, or it is being started
 * or ended.
 */
function withoutContainers(parts: InstanceParts): SettError {
  const { instance, networks } = parts;
  const workspace = workspaceOf(parts);
  const there = workspace === "" ? "" : `, in ${workspace}`;
  if (networks.length === 0) {
    return new SettError("instance-not-found", `${instance} is down. Its blackboard is kept.`, {
      hint: `Continue with it${there}: sett up --name ${instance}`,
    });
  }
  return new InstanceBetween(
    "instance-not-found",
    `${instance} is being started or ended now, or an earlier \`sett up\` or \`sett down\` was killed.`,
    {
      hint: `If none of the two is running: sett up --name ${instance}`,
    },
  );
}

export function hasContainers({ containers }: InstanceParts): boolean {
  return containers.length > 0;
}

export function hasAnything({ containers, networks, volumes }: InstanceParts): boolean {
  return containers.length + networks.length + volumes.length > 0;
}

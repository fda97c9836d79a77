// sett backup: writes all that an instance has into one file.
import { resolve } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { idsOf } from "../../../lib/runtime/own-part.ts";
import type { Carrier, InstanceParts } from "../../../lib/runtime/port.ts";
import { carrierFor, configHere } from "../backup/carrier.ts";
import { readKeys } from "../backup/keys.ts";
import { takeBackup } from "../backup/take.ts";
import { knownClusters } from "../instance/clusters.ts";
import { findInstance, hasContainers } from "../instance/find-instance.ts";
import { LockedWork, lockInstance } from "../instance/lock.ts";
import { requireEngine, runtimeOf } from "../instance/runtimes.ts";
import { isAnothers, workspaceOf } from "../instance/workspace-of.ts";
import { dataArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";

export const backup = defineCommand({
  name: "backup",
  description: "write all that a sett has into one file",
  details: [
    "The file has the blackboard, the results with their history, the record of calls of models, and the id of the instance;",
    "but no keys and no secrets without --keys. The sett may be at work, or down. Only you can read the file, and no file is",
    "overwritten. `sett restore FILE` brings the instance back, here or on another machine.",
  ].join("\n"),
  args: {
    file: {
      type: "positional",
      required: true,
      description: "the file, outside of the repository",
    },
    keys: {
      type: "boolean",
      description: "also put the keys of models and the secrets into it, in the clear",
    },
    ...dataArguments,
  },
  examples: [
    "sett backup ../letters.sett",
    "sett backup /backup/letters-$(date +%F).sett",
    "sett backup ../letters.sett --keys  # values that `sett up` reads here",
  ],
  endsItself: true,
  isOfThisMachine: true,
  async run(args, outer) {
    const work = new LockedWork(outer);
    const { shell } = work;
    const path = resolve(shell.cwd, args.file);
    const runtime = await runtimeOf(shell, args.name);
    const found = await findParts(runtime.observe, shell, args.name);
    const { instance } = found;
    if (isAnothers(found))
      throw new SettError("instance-taken", `${instance} is another repository's.`, {
        hint: "A back-up has commits of its repository: run `sett backup` there.",
      });
    const keys = args.keys ? await readKeys(shell, workspaceOf(found)) : new Map();
    using progress = new Progress(shell.err);
    const lock = await lockInstance(runtime, instance, shell.interrupted);
    await work.under(lock, instance, async () => {
      // A command that had the lock before may have changed it.
      const parts = await findParts(runtime.observe, shell, args.name);
      const repository = await HostRepository.open(workspaceOf(parts), { env: shell.env });
      const carrier = await carrierOf(parts, progress, shell);
      const input = { runtime, parts, repository, path, keys, carrier, progress, shell };
      const taken = await takeBackup(input);
      progress[Symbol.dispose]();
      const { sha256, bytes } = taken;
      const data = { instance, file: path, sha256, bytes, keys: taken.keys };
      if (args.json) return await shell.out.write(`${JSON.stringify(data)}\n`);
      shell.messages.done(`${instance} is in ${path} (${bytes} bytes, sha256 ${sha256}).`);
      if (taken.keys.length > 0)
        shell.messages.warn(`It has keys in the clear: ${taken.keys.join(", ")}.`);
      shell.messages.next("Bring it back, in its repository or a clone: sett restore FILE");
    });
    return;
  },
});

/** Undefined where the instance is in no cluster. */
async function carrierOf(
  { instance, containers, volumes }: InstanceParts,
  progress: Progress,
  shell: Shell,
): Promise<Carrier | undefined> {
  const known = await knownClusters(shell);
  if (!known.some((each) => each.instance === instance)) return undefined;
  return await carrierFor({
    ...{ instance, containers, progress, shell, id: idsOf(volumes).get(instance) ?? "" },
    config: await configHere(shell),
    engine: () => requireEngine(shell),
  });
}

/** A running instance first, else a kept blackboard. */
async function findParts(
  observe: Parameters<typeof findInstance>[0],
  shell: Shell,
  name: string | undefined,
): Promise<InstanceParts> {
  const find = (accepts: (parts: InstanceParts) => boolean) =>
    findInstance(observe, shell, name, accepts, { takesMoved: true });
  return await find(hasContainers).catch(async (error: unknown) => {
    if (!(error instanceof SettError) || error.code !== "instance-not-found") throw error;
    return await find(hasBlackboard);
  });
}

function hasBlackboard({ networks, volumes }: InstanceParts): boolean {
  return networks.length === 0 && volumes.some(({ labels }) => labels.component === "blackboard");
}

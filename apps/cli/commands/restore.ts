// sett restore: brings an instance back from a file of `sett backup`.

import { resolve } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { carrierFor, configHere } from "../backup/carrier.ts";
import { requireKeys, writeKeys } from "../backup/keys.ts";
import { type Backup, checkBackup } from "../backup/read.ts";
import { type RestoredCluster, restoreBackup } from "../backup/restore.ts";
import { writePlace } from "../instance/clusters.ts";
import { LockedWork, lockInstance } from "../instance/lock.ts";
import { whereTheyAre } from "../instance/moved-instances.ts";
import {
  everyInstance,
  type FoundCluster,
  runtimeForUp,
  runtimeNames,
} from "../instance/runtimes.ts";
import { clusterArguments } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { elsewhereOf } from "../services/redis-elsewhere.ts";
import { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";
import { importImages } from "../up/images/carried-images.ts";

export const restore = defineCommand({
  name: "restore",
  description: "bring a sett back from a file of `sett backup`",
  details: [
    "Run it in the repository of the instance, or in a clone of it, on this machine or another. It checks the whole file before it",
    "changes anything, and brings the results into this repository. The instance is then as after `sett down`, under",
    "the same name: `sett up` goes on with it. An instance that is up is refused, and so is one that has a blackboard,",
    "unless you let it be replaced.",
  ].join("\n"),
  args: {
    file: { type: "positional", required: true, description: "a file of `sett backup`" },
    replace: {
      type: "boolean",
      description: "let it take the place of a blackboard that is kept under this name",
    },
    keys: {
      type: "string",
      valueHint: "FOLDER",
      description: "write the keys and secrets that are in the file into this new folder",
    },
    runtime: {
      type: "enum",
      options: [...runtimeNames],
      valueHint: "RUNTIME",
      description: "where it will run, as for `sett up`: docker, process, or kubernetes",
    },
    ...clusterArguments,
  },
  examples: ["sett restore ../letters.sett", "sett restore ../letters.sett --replace"],
  endsItself: true,
  isOfThisMachine: true,
  async run(args, outer) {
    const work = new LockedWork(outer);
    const { shell } = work;
    const repository = await HostRepository.open(shell.cwd, { env: shell.env, mayBeEmpty: true });
    using progress = new Progress(shell.err);
    const step = progress.begin("the file", "checking");
    const backup = await checkBackup(resolve(shell.cwd, args.file), shell.interrupted);
    step.done("is whole");
    const keys = args.keys === undefined ? undefined : resolve(shell.cwd, args.keys);
    if (keys !== undefined) await requireKeys(backup, keys);
    const { instance, created_at } = backup.manifest;
    const config = await configHere(shell);
    requireOwnRedis(instance, config);
    const requested = runtimeNames.find((each) => each === args.runtime);
    const namespace = args.namespace ?? config?.kubernetes.namespace;
    const wish = { name: requested, place: { context: args.context, namespace } };
    const found = await runtimeForUp(shell, await everyInstance(shell), instance, wish);
    const { runtime } = found;
    if (found.kind === "docker") await importImages({ runtime: found.runtime, shell, progress });
    const cluster =
      found.kind === "kubernetes"
        ? await clusterOf(found, { backup, config, progress, shell })
        : undefined;
    const here = async () =>
      await whereTheyAre(await runtime.observe.instances(), repository.place, shell.env);
    const lock = await lockInstance(runtime, instance, shell.interrupted);
    const isReplacing = args.replace;
    const input = { runtime, repository, backup, isReplacing, here, cluster, progress, shell };
    await work.under(lock, instance, () => restoreBackup(input));
    progress[Symbol.dispose]();
    shell.messages.done(`${instance} is as it was at ${created_at}.`);
    if (keys !== undefined) await writeKeys(backup, keys);
    if (keys !== undefined)
      shell.messages.warn(`Keys are in ${keys}, in the clear: ${backup.keys.join(", ")}.`);
    else if (backup.keys.length > 0)
      shell.messages.note("The file has keys, too: `--keys FOLDER` writes them.");
    shell.messages.next(
      `Go on with it: sett up --name ${instance}. Where it ran before, it must not run any more.`,
    );
    return;
  },
});

type Around = {
  backup: Backup;
  config: SettConfig | undefined;
  progress: Progress;
  shell: Shell;
};

/** No part of it is there, and its image is pushed before anything is made. */
async function clusterOf(
  { engine, place, ids }: FoundCluster,
  { backup: { manifest }, config, progress, shell }: Around,
): Promise<RestoredCluster> {
  const { instance, id } = manifest;
  const known = { instance, id, containers: [], config, progress, shell };
  const carrier = await carrierFor({ ...known, engine: async () => engine });
  ids.set(instance, id);
  return { place: writePlace(place), carrier };
}

function requireOwnRedis(instance: InstanceName, config: SettConfig | undefined): void {
  const url = config && elsewhereOf(config);
  if (url === undefined) return;
  const message = `sett.yml keeps the blackboard of ${instance} in Redis at ${url}, where no back-up is brought back.`;
  throw new SettError("usage", message, {
    hint: "Leave `services.redis` out of sett.yml, then restore it: the instance has a Redis of its own again.",
  });
}

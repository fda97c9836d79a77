// sett restore: brings an instance back from a file of `sett backup`.
import { resolve } from "node:path";
import { checkConfig } from "../../../lib/config/read-config.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { requireKeys, writeKeys } from "../backup/keys.ts";
import { checkBackup } from "../backup/read.ts";
import { restoreBackup } from "../backup/restore.ts";
import { LockedWork, lockInstance } from "../instance/lock.ts";
import { whereTheyAre } from "../instance/moved-instances.ts";
import { everyInstance, runtimeForUp, runtimeNames } from "../instance/runtimes.ts";
import { defineCommand } from "../program/command.ts";
import { findConfig } from "../program/config-path.ts";
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
      options: runtimeNames.filter((each) => each !== "kubernetes"),
      valueHint: "RUNTIME",
      description: "where it will run, as for `sett up`: docker, or process",
    },
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
    await requireOwnRedis(instance, shell);
    const requested = runtimeNames.find((each) => each === args.runtime);
    const wish = { name: requested, place: { context: undefined, namespace: undefined } };
    const found = await runtimeForUp(shell, await everyInstance(shell), instance, wish);
    if (found.kind === "kubernetes") throw notInCluster(instance);
    const { runtime } = found;
    if (found.kind === "docker") await importImages({ runtime: found.runtime, shell, progress });
    const here = async () =>
      await whereTheyAre(await runtime.observe.instances(), repository.place, shell.env);
    const lock = await lockInstance(runtime, instance, shell.interrupted);
    const isReplacing = args.replace;
    const input = { runtime, repository, backup, isReplacing, here, progress, shell };
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

/** A sett.yml that cannot be read is none here: `sett up` will say so. */
async function requireOwnRedis(instance: InstanceName, { cwd, env }: Shell): Promise<void> {
  const config = await configOf({ cwd, env });
  const url = config && elsewhereOf(config);
  if (url === undefined) return;
  const message = `sett.yml keeps the blackboard of ${instance} in Redis at ${url}, where no back-up is brought back.`;
  throw new SettError("usage", message, {
    hint: "Leave `services.redis` out of sett.yml, then restore it: the instance has a Redis of its own again.",
  });
}

async function configOf(place: Pick<Shell, "cwd" | "env">): Promise<SettConfig | undefined> {
  try {
    const { file } = await findConfig(place, undefined);
    return (await checkConfig(resolve(place.cwd, file), place.env, { withoutKeys: true })).config;
  } catch (error) {
    if (!(error instanceof SettError)) throw error;
    return undefined;
  }
}

function notInCluster(instance: InstanceName): SettError {
  return new SettError("usage", `${instance} cannot be restored into a cluster yet.`, {
    hint: "Restore it on a machine with Docker: sett restore FILE --runtime docker",
  });
}

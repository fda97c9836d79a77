// sett down: stops agents first and Redis last, then removes everything but the blackboard and the
// images.

import { aborted } from "../../../lib/async/sleep.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { isGone } from "../../../lib/git/repository/is-gone.ts";
import { KeptId } from "../../../lib/git/repository/kept-id.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { idsOf } from "../../../lib/runtime/own-part.ts";
import type { InstanceParts, Runtime } from "../../../lib/runtime/port.ts";
import { noteOf } from "../facts/noted-log.ts";
import {
  findInstance,
  hasAnything,
  hasContainers,
  instanceNameOf,
  instanceNotFound,
} from "../instance/find-instance.ts";
import { LastResults } from "../instance/last-results.ts";
import { LockedWork, lockInstance, requireLock } from "../instance/lock.ts";
import { gitOf } from "../instance/packs-place.ts";
import { personOf } from "../instance/person.ts";
import { redisUrlsOf } from "../instance/place.ts";
import { runtimeOf } from "../instance/runtimes.ts";
import { connect } from "../instance/session.ts";
import { isAnothers, workspaceOf } from "../instance/workspace-of.ts";
import { keepLogs, keepWorkerLogs } from "../logs/keep-logs.ts";
import { KeptLogs } from "../logs/kept-logs.ts";
import { nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { durationOf } from "../program/duration.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";
import { elsewhereFor } from "../up/apply/remove-elsewhere.ts";
import { hasRedis, stoppedAt, stopperOf, stopWork } from "../up/apply/stop-parts.ts";
import { nameOfFolder } from "../up/checks/checks.ts";

export const down = defineCommand({
  name: "down",
  description: "stop a sett and remove its containers; the blackboard stays",
  details: [
    "Running commands of agents may finish within the shutdown time. The blackboard stays, and `sett up` with the same name",
    "continues with it; the record of calls of models and the images of the agents stay, too. --volumes removes them all.",
  ].join("\n"),
  args: {
    name: nameArgument,
    volumes: {
      type: "boolean",
      description:
        "also remove the blackboard, the record of calls, the images of its agents, and the results in git",
    },
    force: {
      type: "boolean",
      description:
        "with --volumes: also remove results that could not be fetched, and leave what cannot be reached in a Redis elsewhere",
    },
    yes: {
      type: "boolean",
      description: "for scripts that say it to every command: `sett down` asks nothing",
    },
    timeout: {
      type: "string",
      alias: "t",
      valueHint: "TIME",
      description: "how long agents may take to stop (default: their `shutdown`, 30s, plus 10s)",
    },
  },
  examples: [
    "sett down",
    "sett down --timeout 5s",
    "sett down --name demo --volumes  # removes everything",
  ],
  // An interruption prints at once what is left.
  endsItself: true,
  isOfThisMachine: true,
  async run(args, shell) {
    await endInstance(args, shell);
    return undefined;
  },
});

type DownArguments = {
  name?: string | undefined;
  volumes: boolean;
  force: boolean;
  timeout?: string | undefined;
};

/** Does what `sett down` does. */
export async function endInstance(args: DownArguments, outer: Shell): Promise<void> {
  const work = new LockedWork(outer);
  const { shell } = work;
  if (args.force && !args.volumes)
    throw new SettError("usage", "--force needs --volumes.", {
      hint: "Without --volumes the blackboard and the results stay.",
    });
  const agentSeconds =
    args.timeout === undefined
      ? undefined
      : Math.ceil(durationOf("--timeout", args.timeout) / 1_000);
  const runtime = await runtimeOf(shell, args.name);
  const parts = await untilInterrupted(
    findParts(runtime, shell, args.name, args.volumes),
    shell,
    "Interrupted: nothing was stopped.",
  );
  const name =
    parts?.instance ??
    (args.name === undefined ? await nameOfPlace(shell) : instanceNameOf(args.name));
  // While a `sett up` makes parts of the instance, they cannot be removed. A lock of what is not
  // there would itself be made in a cluster, and there are no images.
  const needsLock = name !== undefined && (parts !== undefined || runtime.engine !== undefined);
  const lock = needsLock ? await lockIfPossible(runtime, name, shell) : undefined;
  if (parts === undefined) {
    await using _lock = lock;
    const left = { given: args.name, name, volumes: args.volumes };
    await removeWhatIsLeft(runtime, left, shell);
    return;
  }
  using progress = new Progress(shell.err);
  const { instance } = parts;
  const left = `Interrupted: parts of ${instance} may still run${args.volumes ? ", and some parts are not removed" : "; its blackboard is kept"}.`;
  const again = `Run it again: sett down --name ${instance}${args.volumes ? " --volumes" : ""}`;
  const teardown = { runtime, parts, agentSeconds, isWhole: args.volumes, isForced: args.force };
  await work.under(lock, instance, () =>
    untilInterrupted(takeDown({ ...teardown, progress }, shell), shell, left, again),
  );
}

type Left = { given: string | undefined; name: InstanceName | undefined; volumes: boolean };

/** A `sett up` that failed leaves the images that it has built. */
async function removeWhatIsLeft(
  runtime: Runtime,
  { given, name, volumes }: Left,
  shell: Shell,
): Promise<void> {
  const images = volumes && name !== undefined ? await removeImages(runtime, name, shell) : [];
  if (images.length === 0 && given !== undefined) throw instanceNotFound(given);
  if (images.length === 0) shell.messages.note("This repository has no sett, and no parts of one.");
  else shell.messages.done(`The images of ${name} are removed; nothing else was left of it.`);
}

async function untilInterrupted<Result>(
  work: Promise<Result>,
  shell: Shell,
  message: string,
  hint?: string,
): Promise<Result> {
  const interruption = aborted(shell.interrupted).then((): never => {
    throw new SettError("interrupted", message, { hint });
  });
  return await Promise.race([work, interruption]);
}

/**
 * `isWhole`: removes the blackboard, too. `isForced`: removes even results that cannot be fetched.
 */
type Teardown = {
  runtime: Runtime;
  parts: InstanceParts;
  agentSeconds: number | undefined;
  isWhole: boolean;
  isForced: boolean;
  progress: Progress;
};

async function takeDown(
  { runtime, parts, agentSeconds, isWhole, isForced, progress }: Teardown,
  shell: Shell,
): Promise<void> {
  const { instance } = parts;
  const workspace = workspaceOf(parts);
  const repository = workspace === "" ? undefined : await openRepository(workspace, shell);
  if (repository === undefined && isWhole && !isForced) await requireGone(parts);
  const kept = repository && new KeptId(repository.place, instance, shell.env);
  const id =
    (await kept?.read()) ??
    idsOf([...parts.volumes, ...parts.networks, ...parts.containers]).get(instance);
  const results =
    repository && new LastResults({ parts, repository, mustHave: isWhole && !isForced }, shell);
  const elsewhere = isWhole ? await elsewhereFor({ parts, id, isForced }, shell) : undefined;
  await results?.require();
  await logStop(parts, { repository, kept }, shell);
  requireLock(shell.interrupted);
  const stop = stopperOf(runtime, parts, progress);
  await stopWork(parts, stop, agentSeconds);
  await results?.read();
  requireLock(shell.interrupted);
  const keeping = repository && {
    runtime,
    place: repository.place,
    by: "sett down",
    messages: shell.messages,
  };
  const last = await runtime.observe.parts(instance);
  const workers =
    keeping && !isWhole && hasRedis(last) ? await keepWorkerLogs(keeping, last) : new Set<string>();
  // Redis stops last, so that it stores everything.
  await stop(stoppedAt("last"));
  await results?.fetch();
  await stop(stoppedAt("after-fetch"));
  if (keeping && !isWhole)
    await keepLogs(
      keeping,
      last.containers.filter(({ name }) => !workers.has(name)),
    );
  requireLock(shell.interrupted);
  await elsewhere?.remove();
  await runtime.apply.removeInstance(instance, { blackboard: isWhole ? "remove" : "keep" });
  const built = await builtFor(kept);
  if (!isWhole) {
    shell.messages.done(`${instance} is down. Its blackboard is kept.`);
    shell.messages.next(
      `Continue with it: sett up --name ${instance}. Remove it: sett down --name ${instance} --volumes`,
    );
    return;
  }
  requireLock(shell.interrupted);
  await repository?.removeRefs(instance);
  await runtime.engine?.images.removeBuilt(instance, { id, ...built });
  await forgetId(kept, instance, shell);
  await results?.forget();
  if (repository !== undefined) await new KeptLogs(repository.place, instance).remove();
  if (repository?.place.isBare) await repository.keepFilesOf(undefined);
  await repository?.exchange(instance).remove();
  shell.messages.done(`${instance} is removed, with its blackboard.`);
}

/** Reads what the repository knows of the images that were built for the agents. */
async function builtFor(kept: KeptId | undefined): Promise<{ ids: string[]; begun: string[] }> {
  return {
    ids: (await kept?.list("image")) ?? [],
    begun: (await kept?.list("building")) ?? [],
  };
}

/** Removes the images of a `sett up` that failed, and returns their names. */
async function removeImages(
  runtime: Runtime,
  instance: InstanceName,
  shell: Shell,
): Promise<string[]> {
  const workspace = await workspaceRoot(shell.cwd);
  const repository = workspace === undefined ? undefined : await openRepository(workspace, shell);
  const kept = repository && new KeptId(repository.place, instance, shell.env);
  const own = { id: await kept?.read(), ...(await builtFor(kept)) };
  const removed = (await runtime.engine?.images.removeBuilt(instance, own)) ?? [];
  await forgetId(kept, instance, shell);
  return removed;
}

async function forgetId(
  kept: KeptId | undefined,
  instance: InstanceName,
  shell: Shell,
): Promise<void> {
  await kept?.remove().catch((error: unknown) => {
    shell.messages.warn(
      `The id of ${instance} stays in the repository's configuration: ${messageOf(error)}`,
    );
  });
}

/** An instance that is broken, or on a full disk, must still go down. */
async function lockIfPossible(runtime: Runtime, instance: InstanceName, shell: Shell) {
  try {
    return await lockInstance(runtime, instance, shell.interrupted);
  } catch (error) {
    if (
      !(error instanceof SettError) ||
      ["instance-taken", "docker-unreachable", "interrupted"].includes(error.code)
    )
      throw error;
    // Without that image no `sett up` gets far enough to need the lock.
    if (error.code !== "image-not-found")
      shell.messages.warn(
        `Do not run \`sett up\` for this instance now: sett could not lock the instance. ${error.message}`,
      );
    return undefined;
  }
}

async function nameOfPlace({ cwd }: Shell): Promise<InstanceName | undefined> {
  return nameOfFolder((await workspaceRoot(cwd)) ?? "");
}

/**
 * A running instance first, else a kept blackboard. Undefined where there is neither; images may be
 * left.
 */
async function findParts(
  runtime: Runtime,
  shell: Shell,
  name: string | undefined,
  isWhole: boolean,
): Promise<InstanceParts | undefined> {
  const isMissing = (error: unknown) =>
    error instanceof SettError && error.code === "instance-not-found";
  for (const accepts of [hasContainers, hasAnything]) {
    try {
      return await findInstance(runtime.observe, shell, name, accepts, { takesMoved: true });
    } catch (error) {
      if (!isMissing(error)) throw error;
      // An unknown name is probably a typing mistake. Without --name, and with --volumes, it is
      // fine that nothing is left.
      const mayBeMissing =
        name === undefined ? (await workspaceRoot(shell.cwd)) !== undefined : isWhole;
      if (accepts === hasAnything && !mayBeMissing) throw error;
    }
  }
  return undefined;
}

/**
 * Results that are not fetched yet are in the repository, and their record would go: its disk may
 * not answer, or git refuse the folder. One that does not exist has no results any more.
 */
async function requireGone(parts: InstanceParts): Promise<void> {
  const { instance } = parts;
  const workspace = workspaceOf(parts);
  if (isAnothers(parts))
    throw new SettError(
      "instance-taken",
      `${instance} is another repository's: results that it has not fetched would be lost. Nothing was stopped.`,
      {
        hint: `Remove it from there. To lose these results: sett down --name ${instance} --volumes --force`,
      },
    );
  if (workspace === "" || (await isGone(workspace))) return;
  throw new SettError(
    "not-ready",
    `Results of ${instance}'s agents may be left in ${workspace}, which cannot be used, and --volumes would remove the record of them. Nothing was stopped.`,
    {
      hint: `Mend what is above, then try again. To lose these results: sett down --name ${instance} --volumes --force`,
    },
  );
}

async function openRepository(
  workspace: string,
  shell: Shell,
): Promise<HostRepository | undefined> {
  try {
    return await HostRepository.open(workspace, { ...gitOf(shell), mayBeEmpty: true });
  } catch (error) {
    shell.messages.warn(`The repository cannot be used, and stays unchanged: ${messageOf(error)}`);
    return undefined;
  }
}

/** Best effort: an instance that is broken must still go down. */
async function logStop(
  parts: InstanceParts,
  { repository, kept }: { repository: HostRepository | undefined; kept: KeptId | undefined },
  shell: Shell,
): Promise<void> {
  if (!hasRedis(parts)) return;
  try {
    await using board = await connect({ instance: parts.instance, ...redisUrlsOf(parts) });
    await board.logEvent({ type: "instance_stopped" }, await personOf(repository, shell));
    const note = await noteOf(board);
    // The next `sett up` compares. That the configuration cannot be written was said by the last.
    if ((await kept?.read()) !== undefined) await kept?.noteLog(note).catch(() => undefined);
  } catch (error) {
    shell.messages.warn(`The stop was not written to the log: ${messageOf(error)}`);
  }
}

// sett down: agents first, Redis last; then everything is removed but what was recorded.

import { aborted } from "../../../lib/async/sleep.ts";
import { HostRepository } from "../../../lib/git/host-repository.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { ContainerPart, ContainerRuntime, InstanceParts } from "../../../lib/runtime/port.ts";
import { findInstance, hasAnything, hasContainers, instanceNameOf, notThere, workspaceOf } from "../instance/find-instance.ts";
import { LastResults } from "../instance/last-results.ts";
import { holdInstance } from "../instance/lock.ts";
import { partName } from "../instance/parts.ts";
import { personOf } from "../instance/person.ts";
import { isServing, redisUrlOf } from "../instance/place.ts";
import { leaveExchange } from "../instance/remove-exchange.ts";
import { everyRuntime, runtimeOf } from "../instance/runtimes.ts";
import { connect } from "../instance/session.ts";
import { keepLogs, keepWorkerLogs } from "../logs/keep-logs.ts";
import { KeptLogs } from "../logs/kept-logs.ts";
import { nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { durationOf } from "../program/duration.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";
import { nameOfFolder } from "../up/checks.ts";
import { orchestratorStopSeconds, redisStopSeconds, stopSecondsOf } from "../up/container-limits.ts";

export const down = defineCommand({
  name: "down",
  description: "stop and remove a sett; what was recorded stays",
  details:
    "Running tools may finish within the shutdown time. The blackboard is kept, and `sett up` with the same name goes on from it;\n" +
    "so are the images of its agents. --volumes removes these as well.",
  args: {
    name: nameArgument,
    volumes: { type: "boolean", description: "remove the blackboard too, its agents' images, and the results in git" },
    force: { type: "boolean", description: "with --volumes: also results that could not be fetched" },
    timeout: {
      type: "string",
      alias: "t",
      valueHint: "TIME",
      description: "how long agents may take to stop (default: their `shutdown`, 30s, and 10s more)",
    },
  },
  examples: ["sett down", "sett down --timeout 5s", "sett down --name demo --volumes  # leaves nothing at all"],
  // Whoever interrupts is told at once how it stands now.
  endsItself: true,
  async run(args, shell) {
    if (args.force && !args.volumes)
      throw new SettError("usage", "--force goes with --volumes.", { hint: "Without --volumes what was recorded stays anyway." });
    const agentSeconds = args.timeout === undefined ? undefined : Math.ceil(durationOf("--timeout", args.timeout) / 1_000);
    const runtime = await runtimeOf(shell, args.name);
    const parts = await untilInterrupted(
      findLeavings(runtime, shell, args.name, args.volumes),
      shell,
      "Interrupted: nothing was stopped.",
    );
    const name = parts?.instance ?? (args.name === undefined ? await nameOfPlace(shell) : instanceNameOf(args.name));
    // What a `sett up` is about to make cannot be taken down yet.
    await using _alone = name === undefined ? undefined : await holdIfPossible(runtime, name, shell);
    if (parts === undefined) {
      // An `up` that failed leaves the images that it has built.
      const images = args.volumes && name !== undefined ? await runtime.images.removeBuilt(name) : [];
      if (images.length === 0 && args.name !== undefined) throw notThere(args.name);
      if (images.length === 0) shell.messages.note("Nothing of a sett is left for this repository.");
      else shell.messages.done(`The images of ${name} are gone, which were all that was left of it.`);
      return;
    }
    using progress = new Progress(shell.err);
    const { instance } = parts;
    const left = `Interrupted: parts of ${instance} may still run${args.volumes ? ", and not all of it is removed" : "; its blackboard is kept"}.`;
    const again = `Run it again: sett down --name ${instance}${args.volumes ? " --volumes" : ""}`;
    await untilInterrupted(
      takeDown({ runtime, parts, agentSeconds, isWhole: args.volumes, isForced: args.force, progress }, shell),
      shell,
      left,
      again,
    );
    return;
  },
});

async function untilInterrupted<Result>(work: Promise<Result>, shell: Shell, message: string, hint?: string): Promise<Result> {
  const interruption = aborted(shell.interrupted).then((): never => {
    throw new SettError("interrupted", message, { hint });
  });
  return await Promise.race([work, interruption]);
}

/** `isWhole`: with everything that was recorded; `isForced`: also with what cannot be fetched. */
type Order = {
  runtime: ContainerRuntime;
  parts: InstanceParts;
  agentSeconds: number | undefined;
  isWhole: boolean;
  isForced: boolean;
  progress: Progress;
};

async function takeDown({ runtime, parts, agentSeconds, isWhole, isForced, progress }: Order, shell: Shell): Promise<void> {
  const { instance } = parts;
  const workspace = workspaceOf(parts);
  const repository = workspace === "" ? undefined : await openRepository(workspace, shell);
  const results = repository && new LastResults({ parts, repository, mustHave: isWhole && !isForced }, shell);
  await results?.require();
  await logStop(parts, repository, shell);
  const stop = stopperOf(runtime, parts, progress);
  await stopWork(parts, stop, agentSeconds);
  await results?.read();
  const keeping = repository && { runtime, place: repository.place, by: "sett down", messages: shell.messages };
  const last = await runtime.parts(instance);
  const workers = keeping && !isWhole && hasRedis(last) ? await keepWorkerLogs(keeping, last) : new Set<string>();
  // Last, so that it writes everything down.
  await stop(["redis"], redisStopSeconds);
  await results?.fetch();
  if (keeping && !isWhole)
    await keepLogs(
      keeping,
      last.containers.filter(({ name }) => !workers.has(name)),
    );
  await runtime.removeInstance(instance, { blackboard: isWhole ? "remove" : "keep" });
  if (!isWhole) {
    shell.messages.done(`${instance} is down. Its blackboard is kept.`);
    shell.messages.next(`Go on from it: sett up --name ${instance}. Remove it: sett down --name ${instance} --volumes`);
    return;
  }
  await repository?.removeRefs(instance);
  await results?.forget();
  if (repository !== undefined) await new KeptLogs(repository.place, instance).remove();
  if (repository !== undefined) await leaveExchange(everyRuntime(shell.env), instance, repository, shell);
  await runtime.images.removeBuilt(instance);
  shell.messages.done(`${instance} is gone, with its blackboard.`);
}

/** What is half dead, or too full to make anything, must still go down. */
async function holdIfPossible(runtime: ContainerRuntime, instance: InstanceName, shell: Shell) {
  try {
    return await holdInstance(runtime, instance);
  } catch (error) {
    if (!(error instanceof SettError) || error.code === "instance-taken" || error.code === "docker-unreachable") throw error;
    // Without that image no `sett up` gets far enough to be kept away.
    if (error.code !== "image-not-found") shell.messages.warn(`No \`sett up\` is kept away meanwhile: ${error.message}`);
    return undefined;
  }
}

async function nameOfPlace({ cwd }: Shell): Promise<InstanceName | undefined> {
  return nameOfFolder((await workspaceRoot(cwd)) ?? "");
}

/** What runs comes first; without it, a blackboard that was kept. Undefined: there is nothing, as was wanted, or but images. */
async function findLeavings(
  runtime: ContainerRuntime,
  shell: Shell,
  name: string | undefined,
  isWhole: boolean,
): Promise<InstanceParts | undefined> {
  const isMissing = (error: unknown) => error instanceof SettError && error.code === "instance-not-found";
  for (const isFound of [hasContainers, hasAnything]) {
    try {
      return await findInstance(runtime, shell, name, isFound);
    } catch (error) {
      if (!isMissing(error)) throw error;
      // A name that nothing has is more likely a slip than a wish come true.
      const isWish = name === undefined ? (await workspaceRoot(shell.cwd)) !== undefined : isWhole;
      if (isFound === hasAnything && !isWish) throw error;
    }
  }
  return undefined;
}

async function openRepository(workspace: string, shell: Shell): Promise<HostRepository | undefined> {
  try {
    return await HostRepository.open(workspace, { env: shell.env });
  } catch (error) {
    shell.messages.warn(`The repository is left as it is: ${messageOf(error)}`);
    return undefined;
  }
}

/** Best effort: an instance that is half dead must still go down. */
async function logStop(parts: InstanceParts, repository: HostRepository | undefined, shell: Shell): Promise<void> {
  if (!hasRedis(parts)) return;
  try {
    await using board = await connect({ instance: parts.instance, redisUrl: redisUrlOf(parts) });
    await board.logEvent({ type: "instance_stopped" }, await personOf(repository, shell));
  } catch (error) {
    shell.messages.warn(`That it was stopped is not on record: ${messageOf(error)}`);
  }
}

function hasRedis({ containers }: InstanceParts): boolean {
  return containers.some((part) => part.labels.component === "redis" && isServing(part));
}

/** Without `seconds` each is given what it was told to take. */
type Stop = (components: string[], seconds?: number) => Promise<void>;

/** Stops those of the instance's parts. Without Redis nobody can hand anything in, so there is nothing to wait for. */
function stopperOf(runtime: ContainerRuntime, parts: InstanceParts, progress: Progress): Stop {
  const most = hasRedis(parts) ? Number.POSITIVE_INFINITY : 1;
  return (components, seconds) => {
    const some = parts.containers.filter(({ labels }) => components.includes(labels.component));
    return stopAll(runtime, some, (part) => Math.min(seconds ?? stopSecondsOf(part), most), progress);
  };
}

/**
 * Agents hand in what they have, and the orchestrator still deals with it. Where there are workers the orchestrator stops first, or it
 * would start others in their place; what they hand in it finds when it is up again.
 */
async function stopWork(parts: InstanceParts, stop: Stop, agentSeconds?: number): Promise<void> {
  const hasWorkers = parts.containers.some(({ labels }) => labels.component === "worker");
  if (hasWorkers) await stop(["orchestrator"], orchestratorStopSeconds);
  await stop(["agent", "worker"], agentSeconds);
  if (!hasWorkers) await stop(["orchestrator"], orchestratorStopSeconds);
}

/** One that cannot be stopped does not keep the others running: it is removed by force afterwards. */
async function stopAll(
  runtime: ContainerRuntime,
  containers: readonly ContainerPart[],
  secondsFor: (container: ContainerPart) => number,
  progress: Progress,
): Promise<void> {
  await Promise.allSettled(
    containers.map(async (container) => {
      const { id, state } = container;
      if (state.state === "exited" || state.state === "created") return;
      const step = progress.begin(partName(container), "stopping");
      await runtime.containers.stop(id, secondsFor(container));
      step.done("has stopped");
    }),
  );
}

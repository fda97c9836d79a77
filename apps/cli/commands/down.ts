// sett down: agents first, Redis last; then everything is removed but what was recorded.
import { HostRepository } from "../../../lib/git/host-repository.ts";
import { Duration } from "../../../lib/model/config-quantities.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import type { ContainerPart, ContainerRuntime, InstanceParts } from "../../../lib/runtime/port.ts";
import { nameArgument } from "../arguments.ts";
import { defineCommand } from "../command.ts";
import { fetchResults } from "../fetch-results.ts";
import { findInstance, hasAnything, hasContainers, workspaceOf } from "../find-instance.ts";
import { connect, redisUrlOf } from "../open-blackboard.ts";
import { personOf } from "../person.ts";
import { Progress } from "../render/progress.ts";
import type { Shell } from "../shell.ts";
import { agentStopSeconds, orchestratorStopSeconds, redisStopSeconds } from "../up/plan.ts";

export const down = defineCommand({
  name: "down",
  description: "stop and remove a sett; what was recorded stays",
  details:
    "Running tools may finish within the shutdown time. The blackboard is kept, and `sett up` with the same name goes on from it;\n" +
    "so are the images of its agents. --volumes removes these as well.",
  args: {
    name: nameArgument,
    volumes: { type: "boolean", description: "remove the blackboard too, its agents' images, and the results in git" },
    timeout: { type: "string", alias: "t", valueHint: "TIME", description: "how long agents may take to stop (default 40s)" },
  },
  examples: ["sett down", "sett down --timeout 5s", "sett down --name demo --volumes  # leaves nothing at all"],
  async run(args, shell) {
    const agentSeconds = args.timeout === undefined ? agentStopSeconds : secondsOf(args.timeout);
    const runtime = await dockerRuntime();
    const parts = await findLeavings(runtime, shell, args.name);
    const { instance } = parts;
    const workspace = workspaceOf(parts);
    const repository = await openRepository(workspace, shell);
    {
      using progress = new Progress(shell.err);
      await logStop(parts, repository, shell);
      await stopInOrder(runtime, parts, agentSeconds, progress);
    }
    if (repository !== undefined) await fetchResults(shell, workspace);
    await runtime.removeInstance(instance, { blackboard: args.volumes ? "remove" : "keep" });
    if (args.volumes && repository !== undefined) await forget(runtime, instance, repository);
    if (args.volumes) await runtime.images.removeBuilt(instance);
    shell.messages.done(
      args.volumes ? `${instance} is gone, with its blackboard.` : `${instance} is down. Its blackboard is kept.`,
    );
    if (!args.volumes)
      shell.messages.next(`Go on from it: sett up --name ${instance}. Remove it: sett down --name ${instance} --volumes`);
    return;
  },
});

function secondsOf(text: string): number {
  const parsed = Duration.safeParse(text);
  if (parsed.success) return Math.ceil(parsed.data / 1_000);
  throw new SettError("usage", `--timeout takes a duration, not \`${text}\`.`, { hint: "For example: --timeout 5s" });
}

/** What runs comes first; without it, a blackboard that was kept. */
async function findLeavings(runtime: ContainerRuntime, shell: Shell, name: string | undefined): Promise<InstanceParts> {
  try {
    return await findInstance(runtime, shell, name, hasContainers);
  } catch (error) {
    if (!(error instanceof SettError) || error.code !== "instance-not-found") throw error;
    return await findInstance(runtime, shell, name, hasAnything);
  }
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
    await using board = await connect({ instance: parts.instance, redisUrl: redisUrlOf(parts), workspace: undefined });
    await board.logEvent({ type: "instance_stopped" }, await personOf(repository, shell));
  } catch (error) {
    shell.messages.warn(`That it was stopped is not on record: ${messageOf(error)}`);
  }
}

/** The results in git. Another instance of this repository, also one that is down, shares the exchange. */
async function forget(runtime: ContainerRuntime, instance: InstanceName, repository: HostRepository): Promise<void> {
  await repository.removeRefs(instance);
  const workspace = repository.place.toplevel;
  const isShared = (await runtime.instances()).some((parts) => workspaceOf(parts) === workspace);
  if (!isShared) await repository.removeExchange();
}

function hasRedis({ containers }: InstanceParts): boolean {
  return containers.some(({ labels, state }) => labels.component === "redis" && state.state === "running");
}

/** Agents hand in what they have, the orchestrator still deals with it, and Redis writes it all down. */
async function stopInOrder(
  runtime: ContainerRuntime,
  parts: InstanceParts,
  agentSeconds: number,
  progress: Progress,
): Promise<void> {
  // Without Redis nobody can hand anything in, so there is nothing to wait for.
  const most = hasRedis(parts) ? Number.POSITIVE_INFINITY : 1;
  const stop = (components: string[], seconds: number) => {
    const some = parts.containers.filter(({ labels }) => components.includes(labels.component));
    return stopAll(runtime, some, Math.min(seconds, most), progress);
  };
  await stop(["agent", "worker"], agentSeconds);
  await stop(["orchestrator"], orchestratorStopSeconds);
  await stop(["redis"], redisStopSeconds);
}

/** One that cannot be stopped does not keep the others running: it is removed by force afterwards. */
async function stopAll(
  runtime: ContainerRuntime,
  containers: readonly ContainerPart[],
  seconds: number,
  progress: Progress,
): Promise<void> {
  await Promise.allSettled(
    containers.map(async ({ id, labels, name, state }) => {
      if (state.state === "exited" || state.state === "created") return;
      const shown = labels.component === "agent" ? labels.agent : labels.component === "worker" ? name : labels.component;
      const step = progress.begin(shown, "stopping");
      await runtime.containers.stop(id, seconds);
      step.done("has stopped");
    }),
  );
}

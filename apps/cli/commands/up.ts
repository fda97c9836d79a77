// sett up: check → get the images → start → wait until it is ready, or take everything back.
import { randomBytes } from "node:crypto";
import { dirname, resolve } from "node:path";
import { formatProblem } from "../../../lib/config/problems.ts";
import { readConfig } from "../../../lib/config/read-config.ts";
import { registrationsOf } from "../../../lib/config/registrations.ts";
import { HostRepository } from "../../../lib/git/host-repository.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import { fileArgument, nameArgument } from "../arguments.ts";
import { defineCommand } from "../command.ts";
import { configPath } from "../config-path.ts";
import { hasAnything } from "../find-instance.ts";
import { leaveExchange } from "../leave-exchange.ts";
import { personOf } from "../person.ts";
import { Progress } from "../render/progress.ts";
import type { Shell } from "../shell.ts";
import { chooseName, requireFree, requireSupported } from "../up/checks.ts";
import { prepareImages } from "../up/images.ts";
import { planInstance } from "../up/plan.ts";
import { explainFailure, rollBack } from "../up/roll-back.ts";
import { type Made, type Start, startInstance } from "../up/start-instance.ts";
import { exists } from "../workspace-root.ts";

export const up = defineCommand({
  name: "up",
  description: "start a sett: Redis, the orchestrator and every agent",
  details:
    "Builds or pulls what is missing, waits until each part is ready, and takes everything back when one is not.\nGoes on from the blackboard that an earlier `sett down` has kept.",
  args: {
    name: { ...nameArgument, description: "the instance; without it the folder's name" },
    file: fileArgument,
    build: { type: "boolean", description: "build the agents' images again even if nothing has changed" },
  },
  examples: ["sett up", "sett up --name demo", "sett up --file ./other/sett.yml"],
  endsItself: true,
  async run(args, shell) {
    const file = await configPath(shell.cwd, args.file);
    const { config, warnings } = await readConfig(file, shell.env);
    for (const warning of warnings) shell.messages.warn(formatProblem(warning));
    requireSupported(config, file);
    const repository = await HostRepository.open(dirname(resolve(shell.cwd, file)), { env: shell.env });
    const workspace = repository.place.toplevel;
    const instance = chooseName(args.name, workspace);
    const runtime = await dockerRuntime();
    await runtime.check();
    const all = await runtime.instances();
    requireFree(instance, workspace, all);
    const isNew = !all.some((parts) => parts.instance === instance && hasAnything(parts));

    using progress = new Progress(shell.err);
    const { version, interrupted: signal } = shell;
    const order = { runtime, instance, version, config, isRebuild: args.build, progress, signal };
    const images = await prepareImages(order).catch((error: unknown) => {
      throw withoutTrace(error);
    });
    const { objectsDir, containerUser: user } = repository.place;
    const plan = planInstance({
      instance,
      workspace,
      version,
      config,
      repository: { objectsDir, exchangeDir: repository.exchangeDir, user },
      images,
      password: randomBytes(24).toString("hex"),
    });
    const digests = new Map([...images.agents].map(([name, image]) => [name, image.digest ?? image.id]));
    const registrations = registrationsOf(config, digests);
    const actor = await personOf(repository, shell);
    const makeExchange = async () => {
      const isThere = await exists(repository.exchangeDir);
      await repository.createExchange();
      return !isThere;
    };
    const start: Start = { runtime, instance, workspace, version, plan, registrations, makeExchange, actor, progress, signal };
    await startOrTakeBack(start, repository, isNew, shell);
    await report(start, shell);
    return;
  },
});

/** `isNew`: no blackboard of an earlier time was there. */
async function startOrTakeBack(start: Start, repository: HostRepository, isNew: boolean, shell: Shell): Promise<void> {
  const made: Made = { isNetworkMade: false, isExchangeNew: false, isBlackboardNew: false };
  shell.ifAbandoned(() => (made.isNetworkMade ? leftBehind(start.instance, isNew) : undefined));
  try {
    await startInstance(start, made);
  } catch (error) {
    const explained = await explainFailure(start.runtime, error);
    start.progress[Symbol.dispose]();
    if (made.isNetworkMade) shell.messages.note("Taking everything back …");
    await rollBack(start, made, shell);
    if (made.isExchangeNew) await leaveExchange(start.runtime, start.instance, repository, shell);
    throw withoutTrace(explained);
  }
}

/** An interruption told by what it means here; every other error stays as it is. */
function withoutTrace(error: unknown): unknown {
  if (!(error instanceof SettError) || error.code !== "interrupted") return error;
  return new SettError("interrupted", "Interrupted: nothing was left behind.", { cause: error });
}

function leftBehind(instance: InstanceName, isNew: boolean): SettError {
  return new SettError("interrupted", `Interrupted before everything was taken back: parts of ${instance} are left behind.`, {
    hint: `Remove them: sett down ${isNew ? "--volumes " : ""}--name ${instance}`,
  });
}

async function report({ instance, plan }: Start, shell: Shell): Promise<void> {
  const agents = plan.agents.map(({ agent }) => agent).join(", ");
  await shell.out.write(`${instance} is up: redis, orchestrator, ${agents}\n`);
  shell.messages.next('State a goal: sett forage --goal "…" --watch');
}

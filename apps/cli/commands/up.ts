// sett up: check → get the images → bring the instance to its plan → wait until it is ready, or take everything back.

import { randomBytes } from "node:crypto";
import { dirname, resolve } from "node:path";
import { formatProblem } from "../../../lib/config/problems.ts";
import { readConfig } from "../../../lib/config/read-config.ts";
import { registrationsOf } from "../../../lib/config/registrations.ts";
import { HostRepository } from "../../../lib/git/host-repository.ts";
import { needsWorkers } from "../../../lib/model/agent.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { hasContainers } from "../instance/find-instance.ts";
import { holdInstance } from "../instance/lock.ts";
import { personOf } from "../instance/person.ts";
import { leaveExchange } from "../instance/remove-exchange.ts";
import { everyInstance, requireRuntime, runtimeForUp, runtimeNames } from "../instance/runtimes.ts";
import { keepLogs } from "../logs/keep-logs.ts";
import { fileArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { configPath, lacksConfig } from "../program/config-path.ts";
import { exists } from "../program/workspace-root.ts";
import { Progress } from "../terminal/progress.ts";
import type { Shell } from "../terminal/shell.ts";
import { bringUp, type Order, type Outcome } from "../up/apply.ts";
import { asProcesses } from "../up/as-processes.ts";
import { bringImages } from "../up/carried-images.ts";
import { chooseInstance, requireFreeOrOwn } from "../up/checks.ts";
import { findEngineSocket } from "../up/engine-socket.ts";
import { explainFailure } from "../up/explain-failure.ts";
import { beginSett } from "../up/first-sett.ts";
import { prepareCarrier, prepareImages } from "../up/images.ts";
import { prepareMachine } from "../up/machine.ts";
import { planInstance } from "../up/plan.ts";
import { chooseRedisPort } from "../up/redis-port.ts";
import { Journal, undo } from "../up/undo.ts";

export const up = defineCommand({
  name: "up",
  description: "start a sett, or bring one that runs up to date with sett.yml",
  details:
    "Where there is no sett.yml it offers to write the one of `sett init`, to commit and to start it.\n" +
    "Builds or pulls what is missing, waits until each part is ready, and takes everything back when one is not.\n" +
    "Goes on from the blackboard that an earlier `sett down` has kept.\n" +
    "Of a sett that runs, agents that are new are started, those whose settings or image have changed are replaced, those that are no\n" +
    "longer in sett.yml are stopped, and all others are left alone. Running tools may finish within the shutdown time.",
  args: {
    name: {
      ...nameArgument,
      description: "the instance; without it this repository's own, else a new one with the folder's name",
    },
    file: fileArgument,
    yes: { type: "boolean", description: "where there is no sett.yml, write one, commit and start it without asking" },
    build: { type: "boolean", description: "build the agents' images again even if nothing has changed" },
    runtime: {
      type: "enum",
      options: [...runtimeNames],
      valueHint: "RUNTIME",
      description: "docker, or process: everything runs on this machine itself, and nothing is isolated",
    },
  },
  examples: [
    "sett up",
    "sett up --yes  # a first sett in a new repository",
    "sett up --name demo",
    "sett up --file ./other/sett.yml",
  ],
  endsItself: true,
  async run(args, shell) {
    const wish = runtimeNames.find((each) => each === args.runtime);
    if (await lacksConfig(shell.cwd, args.file)) await beginSett(shell, args.yes, () => requireRuntime(wish));
    const file = await configPath(shell.cwd, args.file);
    const { config: asked, warnings } = await readConfig(file, shell.env);
    for (const warning of warnings) shell.messages.warn(formatProblem(warning));
    const repository = await HostRepository.open(dirname(resolve(shell.cwd, file)), { env: shell.env });
    const workspace = repository.place.toplevel;
    const known = (await everyInstance(shell.env)).instances;
    const { instance, why } = chooseInstance(args.name, workspace, known);
    const { kind, runtime } = await runtimeForUp(shell.env, known, instance, wish);
    if (why !== undefined) shell.messages.note(why);
    const machine = kind === "process" ? await prepareMachine(asked, file, repository, shell) : undefined;
    const config = machine?.config ?? asked;
    using progress = new Progress(shell.err);
    const { version, interrupted: signal } = shell;
    if (machine === undefined) await bringImages({ runtime, shell, progress });
    await prepareCarrier({ runtime, version, progress, signal });
    await using _alone = await holdInstance(runtime, instance);
    const all = await runtime.instances();
    requireFreeOrOwn(instance, workspace, all);
    const before = all.find((parts) => parts.instance === instance);

    const built: string[] = [];
    const how = () => howItStands(instance, before, built);
    const images = await prepareImages({
      runtime,
      instance,
      version,
      config,
      isRebuild: args.build,
      owner: repository.place.containerUser,
      env: shell.env,
      progress,
      signal,
      built,
    }).catch((error: unknown) => {
      throw unlessInterrupted(error, how());
    });
    const { objectsDir, containerUser: user } = repository.place;
    const registrations = registrationsOf(
      config,
      new Map([...images.agents].map(([name, { digest, id }]) => [name, digest ?? id])),
    );
    const containers = planInstance({
      instance,
      workspace,
      version,
      config,
      registrations,
      repository: { objectsDir, exchangeDir: repository.exchangeDir, user },
      images,
      // Whoever is left running knows the one from last time.
      password: passwordOf(before) ?? randomBytes(24).toString("hex"),
      engineSocket: machine === undefined && config.agents.some(needsWorkers) ? await findEngineSocket(shell.env) : undefined,
    });
    const plan =
      machine === undefined ? containers : asProcesses(containers, { ...machine, port: await chooseRedisPort(before) });
    const actor = await personOf(repository, shell);
    const exchange: Order["exchange"] = {
      make: async () => {
        const isThere = await exists(repository.exchangeDir);
        await repository.createExchange();
        return isThere ? "kept" : "made";
      },
      takeBack: () => leaveExchange(runtime, instance, repository, shell),
    };
    const journal = new Journal();
    shell.ifAbandoned(() => (journal.hasBegun ? leftBehind(instance, before) : undefined));
    const tools = { runtime, progress, signal, journal };
    try {
      const outcome = await bringUp({
        ...tools,
        instance,
        workspace,
        version,
        plan,
        registrations,
        exchange,
        keepLogs: (containers) =>
          keepLogs({ runtime, place: repository.place, by: "sett up", messages: shell.messages }, containers),
        actor,
        repositoryLock: repository.lockFile,
      });
      await report(instance, outcome, shell);
    } catch (error) {
      const explained = await explainFailure(runtime, error, how(), shell.suggest);
      progress[Symbol.dispose]();
      await undo(journal, instance, shell);
      throw unlessInterrupted(explained, how());
    }
    return;
  },
});

function passwordOf(parts: InstanceParts | undefined): string | undefined {
  return parts?.containers.find(({ labels }) => labels.component === "redis")?.env.REDISCLI_AUTH;
}

/** After a failure: images that were built are kept, because to build them may have taken long. */
function howItStands(instance: InstanceName, before: InstanceParts | undefined, built: readonly string[]): string {
  const images = `the image${built.length === 1 ? "" : "s"} ${built.join(", ")}`;
  if (before !== undefined && hasContainers(before)) {
    return `What ran before runs as before.${built.length === 0 ? "" : ` Kept for the next \`sett up\`: ${images}.`}`;
  }
  if (built.length === 0) return "Nothing was left behind.";
  return `Nothing was left behind but ${images}, for the next \`sett up\`; nothing is left after \`sett down --volumes --name ${instance}\`.`;
}

/** An interruption told by what it means here; every other error stays as it is. */
function unlessInterrupted(error: unknown, how: string): unknown {
  if (!(error instanceof SettError) || error.code !== "interrupted") return error;
  return new SettError("interrupted", `Interrupted: ${how.charAt(0).toLowerCase()}${how.slice(1)}`, { cause: error });
}

/** `before`: what stood there at the beginning. */
function leftBehind(instance: InstanceName, before: InstanceParts | undefined): SettError {
  if (before !== undefined && hasContainers(before)) {
    return new SettError("interrupted", `Interrupted half-way: ${instance} is only partly brought up to date.`, {
      hint: `Bring it up to date: sett up --name ${instance}`,
    });
  }
  return new SettError("interrupted", `Interrupted before everything was undone: parts of ${instance} are left behind.`, {
    hint: `Remove them: sett down ${before === undefined ? "--volumes " : ""}--name ${instance}`,
  });
}

async function report(instance: InstanceName, outcome: Outcome, shell: Shell): Promise<void> {
  const { started, registered, kept } = outcome;
  const words = { ...outcome, mended: outcome.mended.map((name) => `the registration of ${name}`) };
  const told = Object.entries(words).flatMap(([what, names]) => (names.length === 0 ? [] : [`${what} ${names.join(", ")}`]));
  const isNew = told.length === [started, registered].filter((names) => names.length > 0).length;
  const isSame = kept.length > 0 && told.length === 1;
  if (isNew) await shell.out.write(`${instance} is up: ${[...started, ...registered].join(", ")}\n`);
  else if (isSame) await shell.out.write(`${instance} is up, and nothing has changed: ${kept.join(", ")}\n`);
  else await shell.out.write(`${instance} is up: ${told.join("; ")}\n`);
  if (!isSame) shell.messages.next(`State a goal: ${shell.suggest('forage --goal "…" --watch')}`);
}

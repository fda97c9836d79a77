// sett up: check → prepare the images → apply the plan → wait until each part is ready, or undo
// everything.

import { randomBytes } from "node:crypto";
import { networkInterfaces } from "node:os";
import { dirname, resolve } from "node:path";
import { formatProblem } from "../../../lib/config/problems.ts";
import { readConfig } from "../../../lib/config/read-config.ts";
import { registrationsOf } from "../../../lib/config/registrations.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { KeptId } from "../../../lib/git/repository/kept-id.ts";
import { keptRefs } from "../../../lib/git/repository/kept-refs.ts";
import { dockerTranslation } from "../../../lib/runtime/docker/translate.ts";
import { newInstanceId } from "../../../lib/runtime/instance-id.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { processTranslation } from "../../../lib/runtime/process/translate.ts";
import { lockInstance } from "../instance/lock.ts";
import { publicNetworksOf } from "../instance/machine-networks.ts";
import { personOf } from "../instance/person.ts";
import { noteWaitingGoals } from "../instance/retention.ts";
import { everyInstance, requireRuntime, runtimeForUp, runtimeNames } from "../instance/runtimes.ts";
import { keepLogs } from "../logs/keep-logs.ts";
import { fileArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { configPath, lacksConfig } from "../program/config-path.ts";
import { hasApi } from "../services/api.ts";
import { hasModels } from "../services/gateway.ts";
import type { PlanInput } from "../services/input.ts";
import { Progress } from "../terminal/progress.ts";
import { type ApplyInput, applyPlan } from "../up/apply/apply.ts";
import { explainFailure } from "../up/apply/explain-failure.ts";
import { makeFolders } from "../up/apply/make-folders.ts";
import { warnAboutModels } from "../up/apply/probe-models.ts";
import { report } from "../up/apply/report.ts";
import { leftBehind, stateAfterFailure, withState } from "../up/apply/state-after-failure.ts";
import { UndoSteps, undo } from "../up/apply/undo.ts";
import { chooseInstance, knownId, requireFreeOrOwn } from "../up/checks/checks.ts";
import { createFirstSett } from "../up/checks/first-sett.ts";
import { keepId } from "../up/checks/keep-id.ts";
import { keptPassword } from "../up/checks/kept-password.ts";
import { whereTheyAre } from "../up/checks/moved-instances.ts";
import { requireStartable } from "../up/checks/require-startable.ts";
import { requireUsable } from "../up/checks/require-usable.ts";
import { takeNames } from "../up/checks/take-names.ts";
import { importImages } from "../up/images/carried-images.ts";
import { prepareCarrier, prepareImages } from "../up/images/images.ts";
import { rememberer, removeReplaced } from "../up/images/own-images.ts";
import { apiAddress } from "../up/plan/api-address.ts";
import { cassettesNote, prepareCassettes, readCassettes } from "../up/plan/cassettes.ts";
import { choosePorts } from "../up/plan/choose-port.ts";
import { engineSocketFor } from "../up/plan/engine-socket.ts";
import { prepareMachine } from "../up/plan/machine.ts";
import { planInstance, plannedService, planParts } from "../up/plan/plan.ts";
import { requireTelemetry, telemetryHeaders, telemetryOf } from "../up/plan/telemetry-variables.ts";
import { committedSecrets, readSecrets } from "../up/secrets/read-secrets.ts";
import { readTls } from "../up/secrets/read-tls.ts";

export const up = defineCommand({
  name: "up",
  description: "start a sett, or update a running one to match sett.yml",
  details: [
    "Where there is no sett.yml, it offers to write the files of `sett init`, to commit them and to start the sett. It builds",
    "or pulls missing images, waits until each part is ready, and undoes everything if a part fails. It continues with the",
    "blackboard of an earlier `sett down`. If the sett runs already, it starts new agents, replaces agents whose settings or",
    "image have changed, stops agents that are no longer in sett.yml, and does not touch the others. Running commands of",
    "agents may finish within the shutdown time.",
  ].join("\n"),
  args: {
    name: {
      ...nameArgument,
      description:
        "the instance (default: the one of this repository, else a new one named after the folder)",
    },
    file: fileArgument,
    yes: {
      type: "boolean",
      description: "where there is no sett.yml, write and commit one without asking",
    },
    build: {
      type: "boolean",
      description: "build the images of agents again, even if nothing has changed",
    },
    runtime: {
      type: "enum",
      options: [...runtimeNames],
      valueHint: "RUNTIME",
      description:
        "docker, or process: all parts run as processes on this machine, without isolation",
    },
    record: {
      type: "string",
      valueHint: "DIR",
      description: "write every exchange with a model into this folder, without keys",
    },
    replay: {
      type: "string",
      valueHint: "DIR",
      description: "answer calls of models from this folder, without keys and network",
    },
  },
  examples: [
    "sett up",
    "sett up --yes  # a first sett in a new repository",
    "sett up --name demo",
    "sett up --file ./other/sett.yml",
    "sett up --replay ./cassettes  # calls of models as they were recorded",
  ],
  endsItself: true,
  isOfThisMachine: true,
  async run(args, shell) {
    const ordered = readCassettes(args, shell.cwd);
    const requested = runtimeNames.find((each) => each === args.runtime);
    if (await lacksConfig(shell.cwd, args.file))
      await createFirstSett(shell, args.yes, () => requireRuntime(shell, requested));
    const file = await configPath(shell.cwd, args.file);
    const {
      config: written,
      warnings,
      problemAt,
    } = await readConfig(file, shell.env, { withoutKeys: ordered?.mode === "replay" });
    for (const warning of warnings) shell.messages.warn(formatProblem(warning));
    if (hasApi(written)) requireTelemetry(shell.env);
    const repository = await HostRepository.open(dirname(resolve(shell.cwd, file)), {
      env: shell.env,
    });
    const workspace = repository.place.toplevel;
    const cassettes = await prepareCassettes(ordered, hasModels(written), repository.place);
    const known = await everyInstance(shell);
    const here = (all: readonly InstanceParts[]) => whereTheyAre(all, repository.place, shell.env);
    const { instance, why } = chooseInstance(args.name, workspace, await here(known.instances));
    const { kind, runtime } = await runtimeForUp(shell, known, instance, requested);
    if (why !== undefined) shell.messages.note(why);
    const machine =
      kind === "process" ? await prepareMachine(written, file, repository, shell) : undefined;
    const config = machine?.config ?? written;
    const { version, interrupted: signal } = shell;
    const [folder, onSlow] = [dirname(resolve(shell.cwd, file)), shell.messages.note];
    const secrets = await readSecrets(config, { folder, env: shell.env, signal, onSlow });
    const { tls, warnings: aboutTls } = await readTls(config, Date.now());
    const warn = (sentence: string) => shell.messages.warn(sentence);
    for (const sentence of [
      ...(await committedSecrets(config, repository)),
      ...secrets.warnings,
      ...aboutTls,
    ])
      warn(sentence);
    using progress = new Progress(shell.err);
    if (machine === undefined) await importImages({ runtime, shell, progress });
    await prepareCarrier({ runtime, version, progress, signal });
    await using _lock = await lockInstance(runtime, instance, signal);
    const all = await here(await runtime.instances());
    requireFreeOrOwn(instance, workspace, all);
    const before = all.find((parts) => parts.instance === instance);
    const kept = new KeptId(repository.place, instance, shell.env);
    const keptId = await kept.read();
    const id = knownId(before, keptId) ?? newInstanceId(randomBytes(8).toString("hex"), new Date());
    const needs = { runtime, repository, instance, config: written, kept, id, before };
    const { adopted } = machine === undefined ? await takeNames(needs, shell) : { adopted: [] };
    const undoSteps = new UndoSteps();
    shell.onAbandon(() => (undoSteps.hasBegun ? leftBehind(instance, before) : undefined));
    const engine = await runtime.check();
    const labels = { instance, id, workspace, version, component: "network" } as const;
    const onEngine = machine === undefined ? { info: engine, runtime, labels } : undefined;
    await requireUsable({ file, config, problemAt, before, env: shell.env, engine: onEngine });
    const user = engine.isRootless ? rootOfContainers : repository.place.containerUser;
    const { containerUser } = repository.place;
    const { uid, gid } = engine.firstUser ?? rootOfContainers;
    const writer = { uid: uid + containerUser.uid, gid: gid + containerUser.gid };
    const built: string[] = [];
    const stateNow = () => stateAfterFailure(instance, before, built);
    if (id !== keptId) await keepId(kept, { instance, id }, shell);
    // Images that were built, perhaps without an answer, stay after a failure, and bear the id.
    const forgetId = async () => {
      if (id !== keptId && built.length === 0 && (await kept.list("building")).length === 0)
        await kept.remove();
    };
    const images = await prepareImages({
      runtime,
      instance,
      id,
      remember: rememberer(kept, warn),
      version,
      config,
      isRebuild: args.build,
      owner: user,
      env: shell.env,
      progress,
      signal,
      built,
    }).catch(async (error: unknown) => {
      await forgetId();
      throw withState(error, stateNow());
    });
    const git = repository.exchange(instance);
    const registrations = registrationsOf(
      config,
      new Map([...images.agents].map(([name, { digest, id }]) => [name, digest ?? id])),
    );
    const input: PlanInput = {
      instance,
      id,
      workspace,
      version,
      config,
      registrations,
      repository: { foldersFor: (reader) => git.foldersFor(reader), user },
      images,
      // Parts that keep running know the password of last time.
      password: keptPassword(before) ?? randomBytes(24).toString("hex"),
      machine: engine,
      machineNetworks: publicNetworksOf(networkInterfaces()),
      cassettes,
      api: hasApi(config)
        ? {
            tokens: secrets.tokens,
            tls,
            repository: repository.place,
            telemetry: telemetryOf(shell.env),
          }
        : undefined,
    };
    const translation =
      machine === undefined
        ? dockerTranslation({
            cub: images.cub,
            socket: await engineSocketFor(config, { env: shell.env, ...engine }, warn),
          })
        : processTranslation({ ...machine, ports: await choosePorts(before, planParts(input)) });
    const plan = planInstance(input, translation);
    await requireStartable(plan, { config, images, secrets, isInContainer: machine === undefined });
    const actor = await personOf(repository, shell);
    const exchange: ApplyInput["exchange"] = {
      make: () => makeFolders({ repository, instance, config, writer, progress }),
      remove: () => git.remove(),
    };
    const tools = { runtime, progress, signal, undoSteps };
    try {
      undoSteps.add(forgetId);
      const applied = await applyPlan({
        ...tools,
        instance,
        workspace,
        version,
        plan,
        registrations,
        triggers: config.triggers.map(({ name }) => name),
        values: {
          keys: config.models.keys,
          secrets: secrets.agents,
          tls,
          hooks: { ...secrets.hooks, ...telemetryHeaders(shell.env) },
        },
        exchange,
        adopted,
        here,
        known: {
          isKnown: keptId !== undefined && (before?.networks ?? []).length === 0,
          refs: () => keptRefs(repository.place, instance, shell.env),
          hasRecord: before?.volumes.some(({ labels }) => labels.component === "record") === true,
          transcriptsKeptMs: config.retention.transcripts_ms,
        },
        keepLogs: (containers) =>
          keepLogs(
            { runtime, place: repository.place, by: "sett up", messages: shell.messages },
            containers,
          ),
        actor,
        repositoryLock: repository.lockFile,
      });
      const gateway = plannedService(plan, "gateway");
      if (gateway !== undefined && cassettes?.mode !== "replay")
        await warnAboutModels(runtime, gateway, shell);
      if (cassettes !== undefined) shell.messages.note(cassettesNote(cassettes));
      if (config.services.api !== undefined)
        shell.messages.note(`The API and its page: ${apiAddress(config.services.api)}`);
      if (machine === undefined) {
        const current = new Set([...images.agents.values()].map((image) => image.id));
        await removeReplaced(runtime, { kept, current }, warn);
      }
      await report(instance, applied, shell);
      await noteWaitingGoals(instance, config.retention, shell);
    } catch (error) {
      const explained = await explainFailure({ runtime, kind }, error, stateNow(), shell);
      progress[Symbol.dispose]();
      await undo(undoSteps, instance, shell);
      throw withState(explained, stateNow());
    }
    return;
  },
});

/** In a rootless Engine it is the user who runs the Engine, and has the rights of no other. */
const rootOfContainers = { uid: 0, gid: 0 };

// A `sett up` is about a configuration, a repository, an instance and its runtime.
import { dirname, resolve } from "node:path";
import type { ProblemAt } from "../../../lib/config/parse-config.ts";
import { formatProblem } from "../../../lib/config/problems.ts";
import { readConfig } from "../../../lib/config/read-config.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { pruningRemotes } from "../../../lib/git/repository/pruning-remotes.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import type { CommitHash, InstanceName } from "../../../lib/model/ids.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { pathWarnings } from "../facts/path-warnings.ts";
import { prepareWarnings } from "../facts/prepare-warnings.ts";
import { aboutPruning } from "../facts/pruning-remotes.ts";
import { sizeWarnings } from "../facts/size-warnings.ts";
import { whereTheyAre } from "../instance/moved-instances.ts";
import { gitOf } from "../instance/packs-place.ts";
import {
  everyInstance,
  type FoundRuntime,
  requireRuntime,
  runtimeForUp,
  runtimeNames,
} from "../instance/runtimes.ts";
import { findConfig, lacksConfig } from "../program/config-path.ts";
import { writeLock } from "../program/write-lock.ts";
import { hasModels } from "../services/gateway.ts";
import { hasApi } from "../services/has-api.ts";
import type { Cassettes } from "../services/input.ts";
import type { Shell } from "../terminal/shell.ts";
import { chooseInstance } from "./checks/checks.ts";
import { createFirstSett } from "./checks/first-sett.ts";
import { requireNoCassettes } from "./checks/require-cluster.ts";
import { untilRuntime } from "./checks/until-runtime.ts";
import { prepareCassettes, readCassettes } from "./plan/cassettes.ts";
import { requireTelemetry } from "./plan/telemetry-variables.ts";

export type Order = FoundRuntime & {
  file: string;
  /** The commit whose files a bare repository shows; undefined for any other repository. */
  filesOf: CommitHash | undefined;
  /** As it is written. */
  config: SettConfig;
  problemAt: ProblemAt;
  repository: HostRepository;
  instance: InstanceName;
  cassettes: Cassettes | undefined;
  /** Returns the parts of all instances, each where its repository is now. */
  here: (all: readonly InstanceParts[]) => Promise<InstanceParts[]>;
};

type Arguments = {
  name?: string | undefined;
  file?: string | undefined;
  runtime?: string | undefined;
  context?: string | undefined;
  namespace?: string | undefined;
  record?: string | undefined;
  replay?: string | undefined;
  yes: boolean;
  unattended: boolean;
};

/**
 * Writes a first sett where there is none, and waits for the runtime where no person watches.
 * Throws what each step throws; nothing is made yet.
 */
export async function readOrder(args: Arguments, shell: Shell): Promise<Order> {
  const ordered = readCassettes(args, shell.cwd);
  const requested = runtimeNames.find((each) => each === args.runtime);
  if (await lacksConfig(shell.cwd, args.file))
    await createFirstSett(shell, args.yes, () => requireRuntime(shell, requested));
  const { file, from: filesOf, name } = await findConfig(shell, args.file);
  if (filesOf !== undefined)
    shell.messages.note(`The configuration is ${name}, of ${filesOf.slice(0, 8)}.`);
  const withoutKeys = ordered?.mode === "replay";
  const read = await readConfig(file, shell.env, { withoutKeys, name });
  const { config, warnings, problemAt } = read;
  for (const warning of warnings) shell.messages.warn(formatProblem(warning));
  await writeLock(read, resolve(shell.cwd, file), filesOf === undefined, shell);
  if (hasApi(config)) requireTelemetry(shell.env);
  const folder = dirname(resolve(shell.cwd, file));
  const repository = await HostRepository.open(folder, gitOf(shell));
  for (const warningsOf of [pathWarnings, prepareWarnings, sizeWarnings])
    for (const warning of await warningsOf(config, repository, problemAt))
      shell.messages.warn(formatProblem(warning));
  const { place } = repository;
  const here = (all: readonly InstanceParts[]) => whereTheyAre(all, place, shell.env);
  const choose = async () => {
    const known = await everyInstance(shell, { context: args.context });
    const found = await here(known.instances);
    // One of this repository may be there, and another would be begun beside it.
    const unseen = known.problems.get("kubernetes");
    if (unseen !== undefined && args.name === undefined && found.length === 0) throw unseen;
    const { instance, why } = chooseInstance(args.name, place.toplevel, found);
    const namespace = args.namespace ?? config.kubernetes.namespace;
    const wish = { name: requested, place: { context: args.context, namespace } };
    return { instance, why, runtime: await runtimeForUp(shell, known, instance, wish) };
  };
  const chosen = await (args.unattended ? untilRuntime(choose, shell) : choose());
  const { instance, why, runtime } = chosen;
  if (runtime.kind === "kubernetes") requireNoCassettes(ordered, instance);
  const cassettes = await prepareCassettes(ordered, hasModels(config), place);
  if (why !== undefined) shell.messages.note(why);
  const pruning = await pruningRemotes(place, instance, shell.env);
  if (pruning.length > 0) {
    const { found, remedy } = aboutPruning(pruning);
    shell.messages.warn(`${found}. ${remedy} keeps it.`);
  }
  return { file, filesOf, config, problemAt, repository, cassettes, instance, here, ...runtime };
}

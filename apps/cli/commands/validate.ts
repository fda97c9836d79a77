// sett validate: names every mistake in a sett.yml.
import { dirname, resolve } from "node:path";
import { nameWithKind } from "../../../lib/client/facts/agent-kind.ts";
import { configSchemaText } from "../../../lib/config/config-schema.ts";
import type { ProblemAt } from "../../../lib/config/parse-config.ts";
import {
  type ConfigProblem,
  formatProblem,
  invalidConfig,
  sortProblems,
} from "../../../lib/config/problems.ts";
import { checkConfig } from "../../../lib/config/read-config.ts";
import { registrationsOf } from "../../../lib/config/registrations.ts";
import { clusterSizes } from "../../../lib/config/start-sizes.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import { exitCodes, messageOf, type SettError } from "../../../lib/model/errors.ts";
import { requireNames } from "../../../lib/runtime/kubernetes/require-names.ts";
import { pathWarnings } from "../facts/path-warnings.ts";
import { prepareWarnings } from "../facts/prepare-warnings.ts";
import { sizeWarnings } from "../facts/size-warnings.ts";
import { instanceNameOf } from "../instance/find-instance.ts";
import { fileArgument, jsonArgument, nameArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { findConfig } from "../program/config-path.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";
import { nameOfFolder } from "../up/checks/checks.ts";

export const validate = defineCommand({
  name: "validate",
  description: "check sett.yml and name every mistake with its line",
  details: [
    "It starts nothing, and needs no Docker Engine. Exit code 2 when there is a mistake. A warning is not a mistake; a",
    "missing variable that only `sett up` needs is a warning.",
  ].join("\n"),
  args: {
    file: fileArgument,
    name: {
      ...nameArgument,
      description: "the instance, whose name a cluster may find too long (default: as `sett up`)",
    },
    schema: { type: "boolean", description: "only print the JSON Schema of sett.yml, for editors" },
    json: jsonArgument,
  },
  examples: [
    "sett validate",
    "sett validate --file ./other.yml",
    "sett validate --json | jq '.mistakes[].line'",
    "sett validate --schema > sett.schema.json",
  ],
  async run(args, shell) {
    if (args.schema) {
      await shell.out.write(configSchemaText());
      return exitCodes.done;
    }
    const { file, name = file } = await findConfig(shell, args.file);
    const {
      config,
      mistakes,
      missing,
      warnings: others,
      notes,
      unlocked,
      problemAt,
    } = await checkConfig(file, shell.env, {
      version: shell.version,
      withImages: true,
      name,
    });
    // A sett.yml can be checked on a machine that does not have its secrets.
    const warnings = sortProblems([
      ...others,
      ...unlocked.map((one) => ({ ...one, sentence: `${one.sentence}: \`sett up\` writes it` })),
      ...(config === undefined ? [] : await warningsOfPaths(config, { file, problemAt }, shell)),
      ...(config === undefined
        ? []
        : await namesInCluster(config, { name: args.name, problemAt }, shell)),
      // Only a cluster's nodes pull the images of agents.
      ...(config?.images.push === undefined
        ? []
        : clusterSizes(config).map(({ path, sentence }) => problemAt(path, sentence))),
      ...missing.map((one) => ({ ...one, sentence: `${one.sentence}; \`sett up\` needs it` })),
    ]);
    if (args.json) {
      await shell.out.write(
        `${JSON.stringify({ file: resolve(shell.cwd, file), valid: config !== undefined, mistakes, warnings, notes })}\n`,
      );
      return config === undefined ? exitCodes.wrongUse : exitCodes.done;
    }
    for (const warning of warnings) shell.messages.warn(formatProblem(warning));
    if (config === undefined) throw invalidConfig(name, mistakes);
    for (const note of notes) shell.messages.note(formatProblem(note));
    const names = registrationsOf(config, new Map()).map(nameWithKind);
    const count = names.length === 1 ? "1 agent" : `${names.length} agents`;
    await shell.out.write(`${name} is valid: ${count} (${names.join(", ")}).\n`);
    return exitCodes.done;
  },
});

/** Only a cluster needs images that are pushed, and its names are shorter than those here. */
async function namesInCluster(
  { agents, images }: SettConfig,
  { name, problemAt }: { name: string | undefined; problemAt: ProblemAt },
  { cwd }: Pick<Shell, "cwd">,
): Promise<ConfigProblem[]> {
  const workspace = (await workspaceRoot(cwd).catch(() => undefined)) ?? cwd;
  const instance = name === undefined ? nameOfFolder(workspace) : instanceNameOf(name);
  if (images.push === undefined || instance === undefined) return [];
  try {
    requireNames(instance, agents);
    return [];
  } catch (error) {
    const { hint } = error as SettError;
    const sentence = `have names that are too long in a cluster: ${messageOf(error)} ${hint}`;
    return [problemAt(["agents"], sentence)];
  }
}

/** None outside of a repository, which a file can be checked in as well. */
async function warningsOfPaths(
  config: SettConfig,
  { file, problemAt }: { file: string; problemAt: ProblemAt },
  { cwd, env }: Pick<Shell, "cwd" | "env">,
): Promise<ConfigProblem[]> {
  const folder = dirname(resolve(cwd, file));
  const repository = await HostRepository.open(folder, { env }).catch(() => undefined);
  if (repository === undefined) return [];
  return [
    ...(await pathWarnings(config, repository, problemAt)),
    ...(await prepareWarnings(config, repository, problemAt)),
    ...(await sizeWarnings(config, repository, problemAt)),
  ];
}

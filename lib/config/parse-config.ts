// From the text of a sett.yml to the configuration, or to all its mistakes. Pure: reads no file.
import { resolve } from "node:path";
import { nanosPerUsd } from "../model/amounts.ts";
import {
  type AgentConfig,
  AgentFile,
  Build,
  type ImageSource,
  type SettConfig,
  SettFile,
} from "../model/config.ts";
import { impossibleCombinations } from "../model/config-combinations.ts";
import { Environment, type EnvironmentEntry } from "../model/config-environment.ts";
import { PromptFile, type PromptKey, promptKeys } from "../model/config-prompts.ts";
import { AgentName } from "../model/ids.ts";
import { impliedModels, withImpliedModels } from "./implied-models.ts";
import { modelWarnings, unknownModels } from "./model-findings.ts";
import { networkWarnings } from "./network-findings.ts";
import { otherVersion } from "./other-version.ts";
import { type ConfigPath, type ConfigProblem, formatPath, sortProblems } from "./problems.ts";
import { type HostEnvironment, resolveEnvironment } from "./resolve-environment.ts";
import { resolveHooks } from "./resolve-hooks.ts";
import { modelsConfig, resolveModels } from "./resolve-models.ts";
import {
  missingSecrets,
  resolveSecrets,
  secretWarnings,
  unknownSecrets,
} from "./resolve-secrets.ts";
import { resolveServices } from "./resolve-services.ts";
import { parseWith } from "./sentences.ts";
import { resolveTriggers, triggerMistakes, triggerWarnings } from "./trigger-findings.ts";
import { unmatchedRoles } from "./unmatched-roles.ts";
import { isEmpty, parseYaml } from "./yaml-file.ts";

export type ConfigText = {
  text: string;
  /** How problems name the file. */
  file: string;
  /** Absolute: what the paths in the file are relative to. */
  folder: string;
  host: HostEnvironment;
  /** This sett's; without it, other versions are not warned of. */
  version?: string;
  /** The keys of models are neither needed nor read. */
  withoutKeys?: boolean;
};

/**
 * A folder or file that the configuration names, with absolute paths; `problemAt` makes a problem
 * at its place in the file.
 */
export type NamedPlace =
  | {
      kind: "build";
      context: string;
      dockerfile: string;
      problemAt(key: "context" | "dockerfile", sentence: string): ConfigProblem;
    }
  | { kind: "devcontainer"; folder: string; problemAt(sentence: string): ConfigProblem }
  | {
      kind: "prompt";
      file: string;
      agent: string;
      key: PromptKey;
      problemAt(sentence: string): ConfigProblem;
    };

/** Makes a problem at its place in the file. */
export type ProblemAt = (
  path: ConfigPath,
  sentence: string,
  side?: "key" | "value",
) => ConfigProblem;

export type ParsedConfig = {
  /** Undefined exactly when there are mistakes. */
  config: SettConfig | undefined;
  mistakes: ConfigProblem[];
  /**
   * Variables that the file needs and this machine does not have: not mistakes of the file, but
   * `sett up` needs them.
   */
  missing: ConfigProblem[];
  warnings: ConfigProblem[];
  /** Sett's own choices where the file leaves something open. */
  notes: ConfigProblem[];
  places: NamedPlace[];
  /** For what only a later step finds out. */
  problemAt: ProblemAt;
};

/** Never throws: `mistakes` has everything that is wrong, at once. */
export function parseConfig({
  text,
  file,
  folder,
  host,
  version,
  withoutKeys,
}: ConfigText): ParsedConfig {
  const yaml = parseYaml(text);
  const mistakes: ConfigProblem[] = yaml.mistakes.map((mistake) => ({ ...mistake, file }));
  const missing: ConfigProblem[] = [];
  const warnings: ConfigProblem[] = [];
  const places: NamedPlace[] = [];
  const problemAt: ProblemAt = (path, sentence, side) => ({
    file,
    ...yaml.place(path, side),
    path: formatPath(path),
    sentence,
  });
  if (isEmpty(yaml.data)) {
    if (mistakes.length === 0)
      mistakes.push(problemAt([], "is empty: `version` and `agents` are required"));
    return { config: undefined, mistakes, missing, warnings, notes: [], places, problemAt };
  }

  const whole = mapIn(yaml.data);
  const implied = impliedModels({ agents: mapIn(whole.agents), models: mapIn(whole.models) });
  const agentsIn = isMap(whole.agents) ? withImpliedModels(whole.agents, implied) : whole.agents;
  const parsed = parseWith(
    SettFile,
    isMap(yaml.data) ? { ...yaml.data, agents: agentsIn } : yaml.data,
  );
  if (!parsed.isValid)
    mistakes.push(
      ...parsed.mistakes.map(({ path, sentence, side }) => problemAt(path, sentence, side)),
    );

  // The checks below are of single parts, so that they also run where another part is wrong.
  const environments = new Map<string, Record<string, string>>();
  for (const [name, agent] of Object.entries(mapIn(agentsIn))) {
    const path = ["agents", name];
    const { environment, build, path: folderPath } = mapIn(agent);
    // The schema does not check below a name that it refuses.
    const own = parsed.isValid ? parsed : parseWith(AgentFile, agent, path);
    if (!own.isValid)
      mistakes.push(
        ...own.mistakes.map(({ path, sentence, side }) => problemAt(path, sentence, side)),
      );
    if (isMap(agent)) {
      mistakes.push(
        ...impossibleCombinations(agent).map(({ path: to, message }) =>
          problemAt([...path, ...to], message),
        ),
      );
    }

    const resolved = resolveEnvironment(readableEntries(environment), host);
    environments.set(name, resolved.values);
    mistakes.push(
      ...resolved.mistakes.map(({ at, sentence }) =>
        problemAt([...path, "environment", at], sentence),
      ),
    );
    missing.push(
      ...resolved.missing.map(({ at, sentence }) =>
        problemAt([...path, "environment", at], sentence),
      ),
    );
    warnings.push(
      ...resolved.warnings.map(({ at, sentence }) =>
        problemAt([...path, "environment", at], sentence),
      ),
    );

    for (const key of promptKeys) {
      const prompt = PromptFile.safeParse(mapIn(mapIn(agent).prompts)[key]);
      const report = (sentence: string) => problemAt([...path, "prompts", key, "file"], sentence);
      if (prompt.success)
        places.push({
          kind: "prompt",
          file: resolve(folder, prompt.data.file),
          agent: name,
          key,
          problemAt: report,
        });
    }
    const parsedBuild = Build.safeParse(build);
    if (parsedBuild.success) {
      const { context, dockerfile } = resolveBuild(folder, parsedBuild.data);
      const report = (key: "context" | "dockerfile", sentence: string) =>
        problemAt([...path, "build", key], sentence);
      places.push({ kind: "build", context, dockerfile, problemAt: report });
    }
    if (typeof folderPath === "string" && folderPath !== "") {
      const report = (sentence: string) => problemAt([...path, "path"], sentence);
      places.push({ kind: "devcontainer", folder: resolve(folder, folderPath), problemAt: report });
    }
  }
  const place = ({ path, sentence }: { path: ConfigPath; sentence: string }) =>
    problemAt(path, sentence);
  const hooks = resolveHooks(whole.notify, host);
  const models = resolveModels(whole.models, host, withoutKeys);
  mistakes.push(...[...hooks.mistakes, ...models.mistakes].map(place));
  mistakes.push(...unknownModels(mapIn(whole.agents), mapIn(whole.models)).map(place));
  mistakes.push(
    ...unknownSecrets(mapIn(whole.agents), mapIn(whole.secrets), mapIn(whole.services)).map(place),
  );
  mistakes.push(
    ...triggerMistakes(mapIn(whole.triggers), mapIn(whole.secrets), mapIn(whole.services)).map(
      place,
    ),
  );
  missing.push(...[...hooks.missing, ...models.missing].map(place));
  if (mistakes.length > 0 || !parsed.isValid) {
    return {
      config: undefined,
      mistakes: sortProblems(mistakes),
      missing,
      warnings,
      notes: [],
      places,
      problemAt,
    };
  }

  const { version: _format, agents, notify, triggers, limits, ...rest } = parsed.value;
  const config: SettConfig = {
    ...rest,
    secrets: resolveSecrets(rest.secrets, { folder, host }),
    services: resolveServices(rest.services, { folder, host }),
    models: modelsConfig(rest.models, models.values),
    limits: {
      ...limits,
      budget: limits.budget ?? (Object.keys(rest.models.models).length === 0 ? {} : defaultBudget),
    },
    agents: [],
    external: [],
    people: [],
    order: Object.keys(agents).map((name) => AgentName.parse(name)),
    notify: notify.map((hook, index) => ({ ...hook, ...hooks.values[index] })),
    triggers: resolveTriggers({ triggers, agents }),
  };
  for (const [key, agent] of Object.entries(agents)) {
    const {
      build,
      image,
      path,
      role,
      command = [],
      environment: _entries,
      external,
      human,
      prompts,
      ...settings
    } = agent;
    const name = AgentName.parse(key);
    const own = { name, role: role ?? name };
    if (human) {
      config.people.push({ ...own, bids: settings.bids });
    } else if (external) {
      const { bids, on_missing_bid, retries } = settings;
      config.external.push({ ...own, bids, on_missing_bid, retries });
    } else {
      const { shutdown_ms = limits.shutdown_ms } = settings;
      const source = sourceOf(folder, { build, image, path });
      config.agents.push({
        ...settings,
        ...own,
        command,
        source,
        environment: environments.get(name) ?? {},
        prompts: textsOf(prompts),
        shutdown_ms,
      });
    }
  }
  if (config.agents.length + config.external.length === 0) {
    warnings.push(problemAt(["agents"], "has only people, who review: no agent does any work"));
  }
  const findings = [
    ...unmatchedRoles(config),
    ...modelWarnings(config),
    ...networkWarnings(config),
    ...secretWarnings(config),
    ...triggerWarnings(config),
    ...(version ? otherVersion(config, version) : []),
  ];
  missing.push(...missingSecrets(config, host).map(place));
  warnings.push(...[...models.warnings, ...findings].map(place));
  const notes = [...implied].map(([name, model]) =>
    problemAt(
      ["agents", name],
      `asks \`${model}\`: it names no \`model\`, and that one is ${isOnly(config) ? "the only one" : "called `default`"}`,
    ),
  );
  return { config, mistakes, missing, warnings, notes, places, problemAt };
}

/** A prompt that comes from a file is read later, and is empty until then. */
function textsOf(prompts: AgentFile["prompts"]): AgentConfig["prompts"] {
  const texts = Object.entries(prompts).map(([key, prompt]) => [
    key,
    typeof prompt === "string" ? prompt : "",
  ]);
  return Object.fromEntries(texts);
}

function isOnly({ models }: SettConfig): boolean {
  return Object.keys(models.settings).length === 1;
}

/** The budget of a goal, where the file has models and names none. */
const defaultBudget = { nanousd: 5 * nanosPerUsd };

function sourceOf(
  folder: string,
  { build, image, path }: Pick<AgentFile, "build" | "image" | "path">,
): ImageSource {
  if (build !== undefined) return resolveBuild(folder, build);
  if (path !== undefined) return { kind: "devcontainer", folder: resolve(folder, path) };
  return { kind: "image", image: image ?? "" };
}

/** The Dockerfile's path is relative to the context, as in Docker Compose. */
function resolveBuild(
  folder: string,
  { context, dockerfile, args }: Build,
): Extract<ImageSource, { kind: "build" }> {
  const absoluteContext = resolve(folder, context);
  return {
    kind: "build",
    context: absoluteContext,
    dockerfile: resolve(absoluteContext, dockerfile),
    args,
  };
}

/** The entries of an `environment` that are valid, each checked by itself. */
function readableEntries(environment: unknown): EnvironmentEntry[] {
  const pieces: [string | number, unknown][] = Array.isArray(environment)
    ? environment.map((line, index) => [index, [line]])
    : Object.entries(mapIn(environment)).map(([name, value]) => [name, { [name]: value }]);
  return pieces.flatMap(([at, piece]) => {
    const parsed = Environment.safeParse(piece);
    return parsed.success ? parsed.data.map((entry) => ({ ...entry, at })) : [];
  });
}

/** A map of the file's data; empty for anything else, which the schema reports. */
function mapIn(data: unknown): Readonly<Record<string, unknown>> {
  return isMap(data) ? data : {};
}

function isMap(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}

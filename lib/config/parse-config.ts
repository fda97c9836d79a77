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
import { peopleNamed } from "../model/people.ts";
import type { SpendingLimits } from "../model/spending.ts";
import { withoutUndefined } from "../model/without-undefined.ts";
import { forgeMistakes, forgeWarnings, resolveForgeAgent } from "./forge-findings.ts";
import { impliedModels, withImpliedModels } from "./implied-models.ts";
import { modelWarnings, unknownModels, wrongFallbacks } from "./model-findings.ts";
import { networkWarnings } from "./network-findings.ts";
import { otherVersion } from "./other-version.ts";
import { peopleMistakes, quorumWarnings } from "./people-findings.ts";
import { type ConfigPath, type ConfigProblem, formatPath, sortProblems } from "./problems.ts";
import { proofMistakes } from "./proof-findings.ts";
import { redisMistakes, redisWarnings } from "./redis-findings.ts";
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
import { resolveTools, toolsConfig, toolWarnings, unknownTools } from "./resolve-tools.ts";
import { reviewOrderMistakes, reviewOrderWarnings } from "./review-order.ts";
import { parseWith } from "./sentences.ts";
import { resolveTriggers, triggerMistakes, triggerWarnings } from "./trigger-findings.ts";
import { unmatchedRoles } from "./unmatched-roles.ts";
import { unmatchedTypes } from "./unmatched-types.ts";
import { type KnownPackages, withPackages } from "./with-packages.ts";
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
  /** The packages that the file names. Without them, what they would say is missing. */
  packages?: KnownPackages;
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
      args: Readonly<Record<string, string>>;
      problemAt(key: "context" | "dockerfile", sentence: string): ConfigProblem;
    }
  | { kind: "devcontainer"; folder: string; problemAt(sentence: string): ConfigProblem }
  | {
      kind: "prompt";
      file: string;
      agent: string;
      key: PromptKey;
      problemAt(sentence: string): ConfigProblem;
    }
  | { kind: "signers"; file: string; name: string; problemAt(sentence: string): ConfigProblem };

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
export function parseConfig(source: ConfigText): ParsedConfig {
  const { text, file, folder, host, version, withoutKeys, packages = new Map() } = source;
  const yaml = parseYaml(text);
  const problemAt: ProblemAt = (path, sentence, side) => ({
    file,
    ...yaml.place(path, side),
    path: formatPath(path),
    sentence,
  });
  const found: Found = {
    mistakes: yaml.mistakes.map((mistake) => ({ ...mistake, file })),
    ...{ missing: [], warnings: [], places: [], problemAt },
  };
  if (isEmpty(yaml.data)) {
    if (found.mistakes.length === 0)
      found.mistakes.push(problemAt([], "is empty: `version` and `agents` are required"));
    return { config: undefined, notes: [], ...found };
  }

  const whole = mapIn(yaml.data);
  const packed = withPackages(mapIn(whole.agents), mapIn(whole.models), packages);
  const implied = impliedModels({ agents: packed.agents, models: mapIn(whole.models) });
  const agents = isMap(whole.agents) ? withImpliedModels(packed.agents, implied) : whole.agents;
  const parsed = parseWith(SettFile, isMap(yaml.data) ? { ...yaml.data, agents } : yaml.data);
  if (!parsed.isValid) addMistakes(found, parsed.mistakes);

  // The checks below are of single parts, so that they also run where another part is wrong.
  const environments = new Map<string, AgentVariables>();
  for (const [name, agent] of Object.entries(mapIn(agents))) {
    const one = { name, agent, isParsed: parsed.isValid, isWhole: !packed.unread.has(name) };
    environments.set(name, readAgent(found, one, source));
  }
  found.places.push(...placeOfSigners(mapIn(whole.people).signers, folder, problemAt));
  const hooks = resolveHooks(whole.notify, host);
  const models = resolveModels(whole.models, host, withoutKeys);
  const tools = resolveTools(whole.tools, host, withoutKeys);
  const parts = [hooks, models, tools];
  const between = mistakesBetween({ ...whole, agents });
  addMistakes(found, [
    ...packed.mistakes,
    ...parts.flatMap(({ mistakes }) => mistakes),
    ...between,
  ]);
  const place = ({ path, sentence }: Finding) => problemAt(path, sentence);
  found.missing.push(...parts.flatMap(({ missing }) => missing.map(place)));
  if (found.mistakes.length > 0 || !parsed.isValid)
    return { config: undefined, notes: [], ...found, mistakes: sortProblems(found.mistakes) };

  const resolved = { environments, hooks: hooks.values, models, tools, packages };
  const config = configOf(parsed.value, resolved, { folder, host });
  found.missing.push(...missingSecrets(config, host).map(place));
  const warnings = [
    ...packed.warnings,
    ...models.warnings,
    ...tools.warnings,
    ...warningsOf(config, version),
  ];
  found.warnings.push(...warnings.map(place));
  const only = isOnly(config) ? "the only one" : "called `default`";
  const notes = [...implied].map(([name, model]) =>
    problemAt(
      ["agents", name],
      `asks \`${model}\`: it names no \`model\`, and that one is ${only}`,
    ),
  );
  return { config, notes, ...found };
}

type ReadAgent = { name: string; agent: unknown; isParsed: boolean; isWhole: boolean };

type Found = Omit<ParsedConfig, "config" | "notes">;
type Finding = { path: ConfigPath; sentence: string; side?: "key" | "value" };

function addMistakes({ mistakes, problemAt }: Found, findings: readonly Finding[]): void {
  for (const { path, sentence, side } of findings) mistakes.push(problemAt(path, sentence, side));
}

/** `services`: of each service beside the agent. */
type AgentVariables = {
  own: Record<string, string>;
  services: ReadonlyMap<string, Record<string, string>>;
};

/**
 * Returns the variables of an agent. `isParsed`: the schema has taken the whole file. `isWhole` is
 * false where its package could not be read, so that what is missing is no mistake.
 */
function readAgent(
  found: Found,
  { name, agent, isParsed, isWhole }: ReadAgent,
  { folder, host }: Pick<ConfigText, "folder" | "host">,
): AgentVariables {
  const path = ["agents", name];
  // The schema does not check below a name that it refuses.
  const own = isParsed ? undefined : parseWith(AgentFile, agent, path);
  if (own?.isValid === false) addMistakes(found, own.mistakes);
  if (isMap(agent) && isWhole) {
    const impossible = impossibleCombinations(agent);
    const findings = impossible.map(({ path: to, message }) => ({
      path: [...path, ...to],
      sentence: message,
    }));
    addMistakes(found, findings);
  }
  found.places.push(...placesOf(name, mapIn(agent), folder, found.problemAt));
  const services = Object.entries(mapIn(mapIn(agent).services)).map(
    ([service, one]) =>
      [service, readVariables(found, [...path, "services", service], one, host)] as const,
  );
  return { own: readVariables(found, path, agent, host), services: new Map(services) };
}

/** The `environment` of what is at the path. */
function readVariables(
  found: Found,
  path: ConfigPath,
  of: unknown,
  host: HostEnvironment,
): Record<string, string> {
  const environment = resolveEnvironment(readableEntries(mapIn(of).environment), host);
  for (const list of ["mistakes", "missing", "warnings"] as const) {
    for (const { at, sentence } of environment[list])
      found[list].push(found.problemAt([...path, "environment", at], sentence));
  }
  return environment.values;
}

/** The folders and files that an agent names. */
function placesOf(
  agent: string,
  { prompts, build, path }: Readonly<Record<string, unknown>>,
  folder: string,
  problemAt: ProblemAt,
): NamedPlace[] {
  const at = ["agents", agent];
  const fromPrompts = promptKeys.flatMap((key): NamedPlace[] => {
    const prompt = PromptFile.safeParse(mapIn(prompts)[key]);
    if (!prompt.success) return [];
    const file = resolve(folder, prompt.data.file);
    const report = (sentence: string) => problemAt([...at, "prompts", key, "file"], sentence);
    return [{ kind: "prompt", file, agent, key, problemAt: report }];
  });
  const parsedBuild = Build.safeParse(build);
  const fromBuild: NamedPlace[] = [];
  if (parsedBuild.success && parsedBuild.data.context !== undefined) {
    const { context, dockerfile, args } = resolveBuild(folder, parsedBuild.data);
    const report = (key: "context" | "dockerfile", sentence: string) =>
      problemAt([...at, "build", key], sentence);
    fromBuild.push({ kind: "build", context, dockerfile, args, problemAt: report });
  }
  if (typeof path !== "string" || path === "") return [...fromPrompts, ...fromBuild];
  const report = (sentence: string) => problemAt([...at, "path"], sentence);
  const devcontainer = resolve(folder, path);
  return [
    ...fromPrompts,
    ...fromBuild,
    { kind: "devcontainer", folder: devcontainer, problemAt: report },
  ];
}

function placeOfSigners(name: unknown, folder: string, problemAt: ProblemAt): NamedPlace[] {
  if (typeof name !== "string" || name === "") return [];
  const report = (sentence: string) => problemAt(["people", "signers"], sentence);
  return [{ kind: "signers", file: resolve(folder, name), name, problemAt: report }];
}

/** Mistakes between parts of the file, all as it has them. */
function mistakesBetween(whole: Readonly<Record<string, unknown>>): Finding[] {
  const agents = mapIn(whole.agents);
  const secrets = mapIn(whole.secrets);
  const services = mapIn(whole.services);
  return [
    ...unknownModels(agents, mapIn(whole.models)),
    ...wrongFallbacks(mapIn(whole.models)),
    ...unknownTools(agents, mapIn(whole.tools)),
    ...unknownSecrets(agents, secrets, services, mapIn(whole.forges)),
    ...redisMistakes(services.redis),
    ...proofMistakes(whole.proof),
    ...reviewOrderMistakes(agents),
    ...peopleMistakes(agents, mapIn(whole.people)),
    ...forgeMistakes(agents, mapIn(whole.forges), mapIn(whole.people)),
    ...triggerMistakes(mapIn(whole.triggers), secrets, services),
  ];
}

type Resolved = {
  environments: ReadonlyMap<string, AgentVariables>;
  hooks: ReturnType<typeof resolveHooks>["values"];
  models: Pick<ReturnType<typeof resolveModels>, "values" | "way">;
  tools: Pick<ReturnType<typeof resolveTools>, "values">;
  packages: KnownPackages;
};

function configOf(
  { version: _format, agents, people, notify, triggers, limits, ...rest }: SettFile,
  { environments, hooks, models, tools, packages }: Resolved,
  place: Pick<ConfigText, "folder" | "host">,
): SettConfig {
  const hasModels = Object.keys(rest.models.models).length > 0;
  const config: SettConfig = {
    ...rest,
    secrets: resolveSecrets(rest.secrets, place),
    services: resolveServices(rest.services, place),
    models: modelsConfig(rest.models, models, place.folder),
    tools: toolsConfig(rest.tools, tools),
    limits: {
      ...limits,
      budget: limits.budget ?? (hasModels ? defaultBudget : {}),
      spending: { ...limits.spending, triggers: triggerBudgets(triggers) },
    },
    agents: [],
    external: [],
    people: [],
    builtIn: [],
    signing: signingOf(people),
    order: Object.keys(agents).map((name) => AgentName.parse(name)),
    notify: notify.map((hook, index) => ({ ...hook, ...hooks[index] })),
    triggers: resolveTriggers({ triggers, agents }),
  };
  for (const [key, agent] of Object.entries(agents)) {
    const {
      use,
      build,
      image,
      path,
      role,
      environment: _entries,
      services,
      external,
      human,
      forge,
      ...more
    } = agent;
    const { approvals, not_by, people: named, pull_request, ...rest } = more;
    const { command = [], prompts, ...settings } = rest;
    const known = packages.get(use ?? "");
    const isKnown = use !== undefined && known !== undefined && "digest" in known;
    const name = AgentName.parse(key);
    const own = { name, role: role ?? name };
    const { bids, on_missing_bid, retries, shutdown_ms = limits.shutdown_ms } = settings;
    const speakers = named && peopleNamed(named, people.known);
    if (forge !== undefined && pull_request !== undefined) {
      const wanted = { forge, pull_request, named };
      config.builtIn.push({
        bids,
        role: own.role,
        ...resolveForgeAgent(name, wanted, people.known),
      });
    } else if (human)
      config.people.push({
        ...{ ...own, bids },
        ...withoutUndefined({ people: speakers, approvals, not_by }),
      });
    else if (external) config.external.push({ ...own, bids, on_missing_bid, retries });
    else
      config.agents.push({
        ...settings,
        ...own,
        command,
        source: sourceOf(place.folder, { use, build, image, path }),
        ...(isKnown && { package: { use, digest: known.digest } }),
        environment: environments.get(name)?.own ?? {},
        services: services.map((service) => ({
          ...service,
          environment: environments.get(name)?.services.get(service.name) ?? {},
        })),
        prompts: textsOf(prompts),
        shutdown_ms,
      });
  }
  return config;
}

/** The text of the file is read later, and is empty until then. */
function signingOf({ signers, isSignedRequired, known }: SettFile["people"]) {
  if (signers === undefined) return undefined;
  const people = peopleNamed(Object.keys(known), known);
  return { signers: "", people, ...(isSignedRequired && { required: true as const }) };
}

function warningsOf(config: SettConfig, version: string | undefined): Finding[] {
  const lacksWorkers = config.agents.length + config.external.length === 0;
  const sentence = "has only people, who review: no agent does any work";
  return [
    ...(lacksWorkers ? [{ path: ["agents"], sentence }] : []),
    ...unmatchedRoles(config),
    ...unmatchedTypes(config),
    ...reviewOrderWarnings(config),
    ...modelWarnings(config),
    ...toolWarnings(config),
    ...forgeWarnings(config),
    ...quorumWarnings(config),
    ...networkWarnings(config),
    ...redisWarnings(config),
    ...secretWarnings(config),
    ...triggerWarnings(config),
    ...(version ? otherVersion(config, version) : []),
  ];
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

function triggerBudgets(triggers: SettFile["triggers"]): SpendingLimits["triggers"] {
  return Object.fromEntries(
    Object.entries(triggers).flatMap(([name, { budget }]) =>
      budget === undefined ? [] : [[name, budget] as const],
    ),
  );
}

/** The budget of a goal, where the file has models and names none. */
const defaultBudget = { nanousd: 5 * nanosPerUsd };

function sourceOf(
  folder: string,
  { use, build, image, path }: Pick<AgentFile, "use" | "build" | "image" | "path">,
): ImageSource {
  if (build?.context !== undefined) return resolveBuild(folder, build);
  if (path !== undefined) return { kind: "devcontainer", folder: resolve(folder, path) };
  if (image !== undefined || use === undefined) return { kind: "image", image: image ?? "" };
  return { kind: "package", name: use, args: build?.args ?? {} };
}

/** The Dockerfile's path is relative to the context, as in Docker Compose. */
function resolveBuild(
  folder: string,
  { context = "", dockerfile, args }: Build,
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

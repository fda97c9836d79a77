// `secrets` of sett.yml: which of them agents and tokens of the API name, and what this machine
// must have for them. Values are not read here.
import { isAbsolute, join, resolve } from "node:path";
import type { SettConfig } from "../model/config.ts";
import { isSecretName, type SecretSource, type SecretUse } from "../model/config-secrets.ts";
import type { AgentName } from "../model/ids.ts";
import { prepareWay } from "../model/prepare.ts";
import { forges } from "../triggers/forges.ts";
import { kindOf } from "../triggers/kinds.ts";
import { nearestWord } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";
import type { HostEnvironment } from "./resolve-environment.ts";

type Finding = { path: ConfigPath; sentence: string };

/** The sources with absolute paths. */
export function resolveSecrets(
  secrets: Readonly<Record<string, SecretSource>>,
  { folder, host }: { folder: string; host: HostEnvironment },
): Record<string, SecretSource> {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, source]) => [
      name,
      source.file === undefined ? source : { file: placeOf(source.file, { folder, host }) },
    ]),
  );
}

/** The absolute path of a file of this machine that sett.yml names; `~/` is the home folder. */
export function placeOf(
  file: string,
  { folder, host }: { folder: string; host: HostEnvironment },
): string {
  if (file.startsWith("~/") && host.HOME !== undefined) return join(host.HOME, file.slice(2));
  return isAbsolute(file) ? file : resolve(folder, file);
}

/** The keys of `services.redis` that name a secret, and what its value is good for. */
const redisKeys = ["secret", "users"] as const;
const whereOf = { secret: "in that Redis", users: "on the blackboard" };

/**
 * A mistake for each named secret that is not there. All as the file has them; the schema reports
 * what is of another kind.
 */
export function unknownSecrets(
  agents: Readonly<Record<string, unknown>>,
  secrets: Readonly<Record<string, unknown>>,
  services: Readonly<Record<string, unknown>> = {},
  forges: Readonly<Record<string, unknown>> = {},
): Finding[] {
  const ofAgents = Object.entries(agents).flatMap(([agent, settings]) =>
    [[], ["workspace", "prepare"]].flatMap((within) =>
      listIn(
        within.reduce((value, key) => Object(value)[key], settings),
        "secrets",
      ).map((use, at) => ({
        name: typeof use === "string" ? use : Object(use).name,
        path: ["agents", agent, ...within, "secrets", at],
      })),
    ),
  );
  const ofTokens = listIn(services.api, "tokens").map((token, at) => ({
    name: Object(token).secret,
    path: ["services", "api", "tokens", at, "secret"],
  }));
  const ofRedis = redisKeys.map((key) => ({
    name: Object(services.redis)[key],
    path: ["services", "redis", key],
  }));
  const ofForges = Object.entries(forges).map(([forge, settings]) => ({
    name: Object(settings).token,
    path: ["forges", forge, "token"],
  }));
  const names = Object.keys(secrets);
  return [...ofAgents, ...ofTokens, ...ofRedis, ...ofForges].flatMap(({ name, path }) => {
    if (!isSecretName(name) || names.includes(name)) return [];
    return [{ path, sentence: `\`secrets\` has no \`${name}\`: ${remedyFor(name, names)}` }];
  });
}

function listIn(settings: unknown, key: string): unknown[] {
  const list: unknown = Object(settings)[key];
  return Array.isArray(list) ? list : [];
}

function remedyFor(name: string, names: readonly string[]): string {
  if (names.length === 0)
    return `the file needs \`secrets: { ${name}: { file: … } }\`, which says where it comes from`;
  const meant = nearestWord(name, names);
  return meant === undefined
    ? `known are ${names.map((one) => `\`${one}\``).join(", ")}`
    : `did you mean \`${meant}\`?`;
}

/** The secrets, and all that names secrets. */
export type WithSecrets = Pick<
  SettConfig,
  "agents" | "secrets" | "services" | "triggers" | "forges"
>;

/** `holder`: the name of an agent, or of what prepares its workspace. */
export type SecretHolder = { holder: string; agent: AgentName; uses: readonly SecretUse[] };

/** Returns those that get any. */
export function secretHolders({ agents }: Pick<SettConfig, "agents">): SecretHolder[] {
  return agents
    .flatMap(({ name: agent, secrets, workspace }) => [
      { holder: agent, agent, uses: secrets },
      { holder: prepareWay(agent), agent, uses: workspace.prepare?.secrets ?? [] },
    ])
    .filter(({ uses }) => uses.length > 0);
}

/** Names those of all agents, and of what prepares their workspaces, each once. */
export function secretsOfAgents(config: Pick<SettConfig, "agents">): string[] {
  const names = secretHolders(config).flatMap(({ uses }) => uses.map(({ name }) => name));
  return [...new Set(names)];
}

/** The names of the tokens with which Sett acts at forges. */
export function forgeTokens({ forges }: Pick<SettConfig, "forges">): string[] {
  return [...new Set(Object.values(forges).map(({ token }) => token))];
}

/** The names of the secrets with which the deliveries of webhooks are checked. */
export function hookSecrets({ triggers }: Pick<SettConfig, "triggers">): string[] {
  return [...new Set(triggers.flatMap((trigger) => kindOf(trigger).secretOf?.(trigger) ?? []))];
}

/** The names of those that `sett up` gives to services, or tokens whose digests they have. */
export function secretsOfServices(
  config: Pick<SettConfig, "services" | "triggers" | "forges">,
): string[] {
  const ofTokens = config.services.api?.tokens.map(({ secret }) => secret) ?? [];
  return [...new Set([...ofTokens, ...hookSecrets(config), ...forgeTokens(config)])];
}

/** Why a secret cannot be right that is in the form of some forge, with the remedy. */
export function hookSecretProblem(secret: string) {
  const problems = Object.values(forges).map((forge) => forge.secretProblem?.(secret));
  return problems.find((problem) => problem !== undefined);
}

/** Variables that this machine does not have, for secrets that are named. */
export function missingSecrets(
  { secrets, ...users }: WithSecrets,
  host: HostEnvironment,
): Finding[] {
  const used = usedSecrets(users);
  return Object.entries(secrets).flatMap(([name, { environment }]) => {
    if (environment === undefined || !used.has(name) || host[environment] !== undefined) return [];
    const sentence = `needs the variable \`${environment}\`, which is not set on this machine`;
    return [{ path: ["secrets", name, "environment"], sentence }];
  });
}

export function secretWarnings({ secrets, ...users }: WithSecrets): Finding[] {
  const { agents, services, forges } = users;
  const used = usedSecrets(users);
  const unused = Object.keys(secrets).filter((name) => !used.has(name));
  return [
    ...unused.map((name) => ({
      path: ["secrets", name],
      sentence: `is named by no agent, no token, no forge and no webhook: \`secrets: [${name}]\``,
    })),
    ...redisKeys.flatMap((key) =>
      agentsWith(services.redis[key], agents).map((name) => ({
        path: ["services", "redis", key],
        sentence: `is a secret of the agent ${name}, too, which could do everything ${whereOf[key]} with it`,
      })),
    ),
    ...Object.entries(forges).flatMap(([forge, { token }]) =>
      agentsWith(token, agents).map((name) => ({
        path: ["forges", forge, "token"],
        sentence: `is a secret of the agent ${name}, too, which could do everything at the forge that Sett may`,
      })),
    ),
    ...(services.api?.tokens ?? []).flatMap(({ secret, may }, at) =>
      agentsWith(secret, agents).map((name) => ({
        path: ["services", "api", "tokens", at, "secret"],
        sentence: `is a secret of the agent ${name}, too, which could use the API with it (${may.join(", ")})`,
      })),
    ),
    ...agents.flatMap((agent) => [
      ...replacedVariables(agent, agent.secrets, []),
      ...replacedVariables(agent, agent.workspace.prepare?.secrets ?? [], ["workspace", "prepare"]),
    ]),
  ];
}

function agentsWith(secret: string | undefined, agents: SettConfig["agents"]): AgentName[] {
  const holders = secretHolders({ agents }).filter(({ uses }) =>
    uses.some(({ name }) => name === secret),
  );
  return [...new Set(holders.map(({ agent }) => agent))];
}

/** `within`: where the agent has these secrets. */
function replacedVariables(
  { name, environment }: Pick<SettConfig["agents"][number], "name" | "environment">,
  uses: readonly SecretUse[],
  within: readonly string[],
): Finding[] {
  return uses.flatMap(({ variable }, at) =>
    variable === undefined || environment[variable] === undefined
      ? []
      : [
          {
            path: ["agents", name, ...within, "secrets", at],
            sentence: `replaces \`${variable}\` of \`environment\`: remove one of the two`,
          },
        ],
  );
}

/**
 * The names of the secrets that some agent gets, that are the value of a token or of use
 * for Redis, with which a webhook is checked, or with which Sett acts at a forge.
 */
export function usedSecrets({
  agents,
  services,
  triggers,
  forges,
}: Omit<WithSecrets, "secrets">): Set<string> {
  return new Set([
    ...secretsOfAgents({ agents }),
    ...secretsOfServices({ services, triggers, forges }),
    ...redisKeys.flatMap((key) => services.redis[key] ?? []),
  ]);
}

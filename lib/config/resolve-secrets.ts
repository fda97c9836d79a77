// `secrets` of sett.yml: which of them agents name, and what this machine must have for them. Values are not read here.
import { isAbsolute, join, resolve } from "node:path";
import type { SettConfig } from "../model/config.ts";
import type { SecretSource } from "../model/config-secrets.ts";
import { nearestWord } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";
import type { HostEnvironment } from "./resolve-environment.ts";

type Finding = { path: ConfigPath; sentence: string };

/** The sources with absolute paths; `~/` is the home folder. */
export function resolveSecrets(
  secrets: Readonly<Record<string, SecretSource>>,
  { folder, host }: { folder: string; host: HostEnvironment },
): Record<string, SecretSource> {
  const place = (file: string) => {
    if (file.startsWith("~/") && host.HOME !== undefined) return join(host.HOME, file.slice(2));
    return isAbsolute(file) ? file : resolve(folder, file);
  };
  return Object.fromEntries(
    Object.entries(secrets).map(([name, source]) => [name, source.file === undefined ? source : { file: place(source.file) }]),
  );
}

/** A mistake for each secret of an agent that is not there. Both maps as the file has them; the schema reports what is of another kind. */
export function unknownSecrets(agents: Readonly<Record<string, unknown>>, secrets: Readonly<Record<string, unknown>>): Finding[] {
  const names = Object.keys(secrets);
  return Object.entries(agents).flatMap(([agent, settings]) => {
    const uses: unknown = Object(settings).secrets;
    if (!Array.isArray(uses)) return [];
    return uses.flatMap((use: unknown, at) => {
      const name: unknown = typeof use === "string" ? use : Object(use).name;
      if (typeof name !== "string" || names.includes(name)) return [];
      const meant = nearestWord(name, names);
      const remedy =
        names.length === 0
          ? `the file needs \`secrets: { ${name}: { file: … } }\`, which says where it comes from`
          : meant === undefined
            ? `known are ${names.map((one) => `\`${one}\``).join(", ")}`
            : `did you mean \`${meant}\`?`;
      return [{ path: ["agents", agent, "secrets", at], sentence: `\`secrets\` has no \`${name}\`: ${remedy}` }];
    });
  });
}

/** Variables that this machine does not have, for secrets that agents name. */
export function missingSecrets({ agents, secrets }: Pick<SettConfig, "agents" | "secrets">, host: HostEnvironment): Finding[] {
  const used = usedSecrets({ agents });
  return Object.entries(secrets).flatMap(([name, { environment }]) => {
    if (environment === undefined || !used.has(name) || host[environment] !== undefined) return [];
    const sentence = `needs the variable \`${environment}\`, which is not set on this machine`;
    return [{ path: ["secrets", name, "environment"], sentence }];
  });
}

export function secretWarnings({ agents, secrets }: Pick<SettConfig, "agents" | "secrets">): Finding[] {
  const used = usedSecrets({ agents });
  const unused = Object.keys(secrets).filter((name) => !used.has(name));
  return [
    ...unused.map((name) => ({ path: ["secrets", name], sentence: `is named by no agent: \`secrets: [${name}]\`` })),
    ...agents.flatMap((agent) =>
      agent.secrets.flatMap(({ variable }, at) =>
        variable === undefined || agent.environment[variable] === undefined
          ? []
          : [
              {
                path: ["agents", agent.name, "secrets", at],
                sentence: `replaces \`${variable}\` of \`environment\`: remove one of the two`,
              },
            ],
      ),
    ),
  ];
}

/** The names of the secrets that some agent gets. */
export function usedSecrets({ agents }: Pick<SettConfig, "agents">): Set<string> {
  return new Set(agents.flatMap(({ secrets }) => secrets.map(({ name }) => name)));
}

// Reads all values that no description of a part may have, and warns about those that are no good.
import { dirname, resolve } from "node:path";
import type { HostRepository } from "../../../../lib/git/repository/host-repository.ts";
import type { TokenDigest } from "../../../../lib/model/api-access.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import type { Machine } from "../../program/secret-source.ts";
import type { Values } from "../../services/service.ts";
import type { Shell } from "../../terminal/shell.ts";
import { telemetryHeaders } from "../plan/telemetry-variables.ts";
import { type Elsewhere, readElsewhere } from "./read-elsewhere.ts";
import { committedSecrets, readSecrets } from "./read-secrets.ts";
import { readTls } from "./read-tls.ts";

/** The time for a password manager that no person can answer. */
const unattendedMs = 60_000;

/** `tokens`: digests, which may be in a description. `redis`: undefined where it is an own one. */
export type ReadValues = {
  values: Values;
  tokens: TokenDigest[];
  redis: Elsewhere | undefined;
};

type Place = { file: string; repository: HostRepository } & Pick<Machine, "secretIn">;

/** Throws `config-invalid` and `interrupted`. `isUnattended`: no command can ask anybody. */
export async function readValues(
  config: SettConfig,
  { file, repository, secretIn }: Place,
  { cwd, env, interrupted: signal, messages }: Shell,
  isUnattended = false,
): Promise<ReadValues> {
  const folder = dirname(resolve(cwd, file));
  const secrets = await readSecrets(config, {
    ...{ folder, env, signal, onSlow: messages.note, secretIn },
    ...(isUnattended && { aloneMs: unattendedMs }),
  });
  const { tls, warnings: aboutTls } = await readTls(config, Date.now());
  const committed = await committedSecrets(config, repository);
  for (const sentence of [...committed, ...secrets.warnings, ...aboutTls]) messages.warn(sentence);
  const hooks = { ...secrets.hooks, ...telemetryHeaders(env) };
  const redis = await readElsewhere(config, secrets.redis);
  const { keys } = config.models;
  const { headers: toolHeaders } = config.tools;
  const { agents, forges } = secrets;
  const values = { keys, toolHeaders, secrets: agents, tls, hooks, forges };
  return { values, tokens: secrets.tokens, redis };
}

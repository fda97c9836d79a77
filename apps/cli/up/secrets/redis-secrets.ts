// The values of the secrets that `services.redis` names.
import type { Buffer } from "node:buffer";
import type { SettConfig } from "../../../../lib/model/config.ts";
import { invalidSecret } from "../../program/secret-source.ts";

/**
 * `password`: of the user with which `sett` prepares a Redis elsewhere. `users`: the text from
 * which the passwords of the instance's users come, where others make these users.
 */
export type RedisSecrets = { password: string | undefined; users: string | undefined };

type Named = Pick<SettConfig["services"]["redis"], "secret" | "users">;

/** The operators of that Redis see digests of the passwords: a short text could be guessed. */
const minLength = 32;

/** Throws `config-invalid`. A line break at the end of a file is not a part of a value. */
export function redisSecretsOf(
  { secret, users }: Named,
  readOf: (name: string) => Buffer | undefined,
): RedisSecrets {
  const text = (name: string | undefined) =>
    name === undefined ? undefined : readOf(name)?.toString("utf8").trim();
  const seed = text(users);
  if (users !== undefined && seed !== undefined && seed.length < minLength) {
    throw invalidSecret(
      users,
      `\`services.redis.users\` needs at least ${minLength} characters, and this has ${seed.length}`,
      "`openssl rand -hex 32` makes a good one.",
    );
  }
  return { password: text(secret), users: seed };
}

// Reads the values of secrets on this machine: from files, variables, and the commands of password
// managers.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import {
  hookSecretProblem,
  hookSecrets,
  secretHolders,
  secretsOfAgents,
  usedSecrets,
  type WithSecrets,
} from "../../../../lib/config/resolve-secrets.ts";
import type { HostRepository } from "../../../../lib/git/repository/host-repository.ts";
import type { TokenDigest } from "../../../../lib/model/api-access.ts";
import type { SecretSource } from "../../../../lib/model/config-secrets.ts";

import { effectOfWeak, minBytes, remedyForWeak, weaknessOf } from "../../facts/weak-value.ts";
import { invalidSecret, type Machine, maxBytes, readSource } from "../../program/secret-source.ts";
import type { Values } from "../../services/service.ts";
import { type RedisSecrets, redisSecretsOf } from "./redis-secrets.ts";

/**
 * This is made of the secrets of sett.yml. Only the digest of a token goes on. `hooks`: those of
 * webhooks in base64, by name. `forges`: tokens, and what must not be pushed. `redis`: for a Redis
 * elsewhere. `warnings`: sentences about values that agents write by accident.
 */
export type ReadSecrets = {
  agents: Values["secrets"];
  tokens: TokenDigest[];
  hooks: Record<string, string>;
  forges: Values["forges"];
  redis: RedisSecrets;
  warnings: string[];
};

/**
 * Reads those that are named, each once. Throws `config-invalid`, and `interrupted`. No message has
 * a part of a value.
 */
export async function readSecrets(
  { secrets, ...users }: WithSecrets,
  machine: Machine,
): Promise<ReadSecrets> {
  const { agents, services } = users;
  const values = new Map<string, Buffer>();
  // One after the other: the commands of two may both ask for a password.
  for (const name of usedSecrets(users)) {
    const source = secrets[name];
    if (source !== undefined) values.set(name, await readSecret(name, source, machine));
  }
  const inBase64 = (name: string) => values.get(name)?.toString("base64") ?? "";
  return {
    agents: Object.fromEntries(
      secretHolders({ agents }).map(({ holder, uses }) => [
        holder,
        Object.fromEntries(uses.map(({ name }) => [name, inBase64(name)])),
      ]),
    ),
    warnings: secretsOfAgents({ agents }).flatMap((name) => warningAbout(name, values.get(name))),
    hooks: Object.fromEntries(
      hookSecrets(users).map((name) => [name, hookSecret(name, values.get(name) ?? Buffer.of())]),
    ),
    forges: forgesOf(users, inBase64),
    redis: redisSecretsOf(services.redis, (name) => values.get(name)),
    tokens: (services.api?.tokens ?? []).map(({ name, secret, may }) => ({
      name,
      sha256: digestOfToken(secret, values.get(secret) ?? Buffer.of()),
      may,
    })),
  };
}

/** The names of tokens begin as the service of forges expects them. */
function forgesOf(
  { agents, forges }: Pick<WithSecrets, "agents" | "forges">,
  inBase64: (name: string) => string,
): Values["forges"] {
  const tokens = Object.entries(forges);
  if (tokens.length === 0) return undefined;
  return Object.fromEntries([
    // The service of forges sees those itself that a cluster has.
    ...secretsOfAgents({ agents })
      .map((name) => [name, inBase64(name)])
      .filter(([, value]) => value !== ""),
    ...tokens.map(([name, { token }]) => [`forge.${name}`, inBase64(token)]),
  ]);
}

/** `value`: undefined for one that a cluster has, which is not read. */
function warningAbout(name: string, value: Buffer | undefined): string[] {
  const what = value && weaknessOf(value);
  if (what === undefined) return [];
  return [`The value of the secret ${name} is ${what}. ${effectOfWeak} ${remedyForWeak}`];
}

/**
 * A sentence for each file that is committed: agents, and everyone with a clone, can read it there.
 */
export async function committedSecrets(
  { secrets, ...users }: WithSecrets,
  repository: Pick<HostRepository, "isTracked">,
): Promise<string[]> {
  const sentences: string[] = [];
  const { tls } = users.services.api ?? {};
  const files = [...usedSecrets(users)].map((name) => ({
    what: `file of the secret ${name}`,
    file: secrets[name]?.file,
  }));
  if (typeof tls === "object")
    files.push({ what: "private key of `services.api.tls`", file: tls.key });
  for (const { what, file } of files) {
    if (file === undefined || !(await repository.isTracked(file))) continue;
    sentences.push(
      `The ${what} is in git, where agents can read it: ${file}. Keep it outside of the repository, and replace the value.`,
    );
  }
  return sentences;
}

/** Its digest can be read from the container: a short value could be guessed from it. */
const minTokenLength = 32;

/** A line break at the end of a file is not a part of the token. */
function digestOfToken(name: string, value: Buffer): string {
  const token = value.toString("latin1").trim();
  const remedy = "`openssl rand -hex 32` makes a good one.";
  if (token.length < minTokenLength) {
    const problem = `a token of the API needs at least ${minTokenLength} characters, and this one has ${token.length}`;
    throw invalidSecret(name, problem, remedy);
  }
  if (!/^[\x21-\x7e]+$/.test(token))
    throw invalidSecret(
      name,
      "a token of the API has only letters, digits and signs of ASCII",
      remedy,
    );
  return createHash("sha256").update(token).digest("hex");
}

/** A shorter one can be guessed from a delivery and its signature. */
const minHookLength = 16;

function hookSecret(name: string, value: Buffer): string {
  const secret = value.toString("latin1").trim();
  const remedy = "`openssl rand -hex 32` makes a good one. The forge needs the same.";
  if (secret.length < minHookLength) {
    throw invalidSecret(
      name,
      `the secret of a webhook needs at least ${minHookLength} characters, and this one has ${secret.length}`,
      remedy,
    );
  }
  const found = hookSecretProblem(secret);
  if (found !== undefined) throw invalidSecret(name, found.problem, found.remedy);
  return value.toString("base64");
}

async function readSecret(name: string, source: SecretSource, machine: Machine): Promise<Buffer> {
  const { value, from } = await readSource(name, source, machine);
  const length = value.toString("latin1").trim().length;
  if (length === 0) throw invalidSecret(name, `${from} has no value`, "Put the value there.");
  if (length < minBytes) {
    throw invalidSecret(
      name,
      `${from} has a value of ${length} bytes`,
      `A secret needs at least ${minBytes}: a shorter one could not be masked in what agents write.`,
    );
  }
  if (value.length > maxBytes) {
    throw invalidSecret(
      name,
      `${from} has a value of more than ${maxBytes} bytes`,
      `A secret may have ${maxBytes}. Put larger files into the agent's image.`,
    );
  }
  return value;
}

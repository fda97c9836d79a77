// Reads the values of secrets on this machine: from files, variables, and the commands of password managers.
import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { hookSecrets, usedSecrets, type WithSecrets } from "../../../lib/config/resolve-secrets.ts";
import type { HostRepository } from "../../../lib/git/host-repository.ts";
import type { TokenDigest } from "../../../lib/model/api-access.ts";
import type { SecretSource } from "../../../lib/model/config-secrets.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { commonValue } from "./common-value.ts";
import type { SecretValues } from "./start-keeper.ts";

/** A shorter value cannot be masked: it is found in what has nothing to do with it. */
const minBytes = 8;
const maxBytes = 64 * 1024;

type Machine = {
  /** The folder of sett.yml, where commands run. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  /** Is given whose command is waited for, if it takes more than 3 s: it may ask a person, out of sight. */
  onSlow?: (sentence: string) => void;
};

const slowMs = 3_000;

/**
 * What is made of the secrets of sett.yml. Of a token only the digest goes on. `hooks`: those of webhooks in base64, by name. `warnings`:
 * sentences about values that agents write by accident.
 */
export type ReadSecrets = { agents: SecretValues; tokens: TokenDigest[]; hooks: Record<string, string>; warnings: string[] };

/** Those that are named, each read once. Throws `config-invalid`, and `interrupted`. No message has a part of a value. */
export async function readSecrets({ secrets, ...users }: WithSecrets, machine: Machine): Promise<ReadSecrets> {
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
      agents
        .filter((agent) => agent.secrets.length > 0)
        .map((agent) => [agent.name, Object.fromEntries(agent.secrets.map(({ name }) => [name, inBase64(name)]))]),
    ),
    warnings: [...new Set(agents.flatMap((agent) => agent.secrets.map(({ name }) => name)))].flatMap((name) =>
      warningAbout(name, values.get(name) ?? Buffer.of()),
    ),
    hooks: Object.fromEntries(hookSecrets(users).map((name) => [name, hookSecret(name, values.get(name) ?? Buffer.of())])),
    tokens: (services.api?.tokens ?? []).map(({ name, secret, may }) => ({
      name,
      sha256: digestOfToken(secret, values.get(secret) ?? Buffer.of()),
      may,
    })),
  };
}

function warningAbout(name: string, value: Buffer): string[] {
  const kind = commonValue(value.toString("utf8"));
  if (kind === undefined) return [];
  const effect =
    "Agents write such a value without knowing it: it is masked in what they write, and commits that have it are refused.";
  return [`The value of the secret ${name} is ${kind}. ${effect} Replace it by a longer one at random.`];
}

/** A sentence for each file that is committed: agents, and everyone with a clone, can read it there. */
export async function committedSecrets(
  { secrets, ...users }: WithSecrets,
  repository: Pick<HostRepository, "isTracked">,
): Promise<string[]> {
  const sentences: string[] = [];
  const { tls } = users.services.api ?? {};
  const files = [...usedSecrets(users)].map((name) => ({ what: `file of the secret ${name}`, file: secrets[name]?.file }));
  if (typeof tls === "object") files.push({ what: "private key of `services.api.tls`", file: tls.key });
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
    throw invalid(name, problem, remedy);
  }
  if (!/^[\x21-\x7e]+$/.test(token))
    throw invalid(name, "a token of the API has only letters, digits and signs of ASCII", remedy);
  return createHash("sha256").update(token).digest("hex");
}

/** A shorter one can be guessed from a delivery and its signature. */
const minHookLength = 16;

function hookSecret(name: string, value: Buffer): string {
  const secret = value.toString("latin1").trim();
  const remedy = "`openssl rand -hex 32` makes a good one. The forge needs the same.";
  if (secret.length < minHookLength) {
    throw invalid(
      name,
      `the secret of a webhook needs at least ${minHookLength} characters, and this one has ${secret.length}`,
      remedy,
    );
  }
  if (secret.startsWith("whsec_") && !/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret))
    throw invalid(name, "what follows `whsec_` is not base64", "Copy the signing token from GitLab again.");
  return value.toString("base64");
}

async function readSecret(name: string, source: SecretSource, machine: Machine): Promise<Buffer> {
  const { value, from } = await readSource(name, source, machine);
  const length = value.toString("latin1").trim().length;
  if (length === 0) throw invalid(name, `${from} has no value`, "Put the value there.");
  if (length < minBytes) {
    throw invalid(
      name,
      `${from} has a value of ${length} bytes`,
      `A secret needs at least ${minBytes}: a shorter one could not be masked in what agents write.`,
    );
  }
  if (value.length > maxBytes) {
    throw invalid(
      name,
      `${from} has a value of more than ${maxBytes} bytes`,
      `A secret may have ${maxBytes}. Put larger files into the agent's image.`,
    );
  }
  return value;
}

async function readSource(name: string, source: SecretSource, machine: Machine): Promise<{ value: Buffer; from: string }> {
  const { file, environment, command } = source;
  if (file !== undefined) return { value: await fileOf(name, file), from: `the file ${file}` };
  if (environment !== undefined)
    return { value: Buffer.from(machine.env[environment] ?? ""), from: `the variable ${environment}` };
  return { value: await outputOf(name, command ?? [], machine), from: `the output of ${command?.[0]}` };
}

async function fileOf(name: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw invalid(name, `its file cannot be read: ${messageOf(error)}`, "Write it, or change `file` of the secret in sett.yml.");
  }
}

/** The command may ask a person for a password: it has the terminal. */
async function outputOf(name: string, [program = "", ...words]: string[], machine: Machine): Promise<Buffer> {
  const { folder, env, signal, onSlow } = machine;
  const hint = "Run it in the folder of sett.yml to see why, or change `command` of the secret.";
  const timer = setTimeout(() => onSlow?.(`Waiting for the command of the secret ${name}: ${program}.`), slowMs);
  try {
    const child = spawn(program, words, { cwd: folder, env, stdio: ["inherit", "pipe", "inherit"], signal });
    const ended = once(child, "close");
    ended.catch(() => undefined);
    // An output without an end would fill the memory.
    await Promise.race([once(child, "spawn"), ended]);
    const output = await readUpTo(child.stdout, maxBytes + 3);
    if (output.length > maxBytes + 2) {
      child.kill();
      return output;
    }
    const [exitCode, killedBy] = (await ended) as [number | null, string | null];
    if (exitCode !== 0) throw invalid(name, `its command ${program} ended with ${killedBy ?? `exit code ${exitCode}`}`, hint);
    return Buffer.from(output.toString("latin1").replace(/\r?\n$/, ""), "latin1");
  } catch (error) {
    if (signal.aborted) throw new SettError("interrupted", "Interrupted.", { cause: error });
    if (error instanceof SettError) throw error;
    throw invalid(name, `its command cannot be started: ${messageOf(error)}`, hint);
  } finally {
    clearTimeout(timer);
  }
}

/** What comes after so many bytes is not read. */
async function readUpTo(stream: AsyncIterable<unknown>, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length >= bytes) break;
  }
  return Buffer.concat(chunks);
}

function invalid(name: string, problem: string, hint: string): SettError {
  return new SettError("config-invalid", `The secret ${name} cannot be read: ${problem}.`, { hint });
}

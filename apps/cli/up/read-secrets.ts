// Reads the values of secrets on this machine: from files, variables, and the commands of password managers.
import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { usedSecrets } from "../../../lib/config/resolve-secrets.ts";
import type { HostRepository } from "../../../lib/git/host-repository.ts";
import type { SettConfig } from "../../../lib/model/config.ts";
import type { SecretSource } from "../../../lib/model/config-secrets.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { SecretValues } from "./start-keeper.ts";

/** A shorter value cannot be masked: it is found in what has nothing to do with it. */
const minBytes = 8;
const maxBytes = 64 * 1024;

type Machine = {
  /** The folder of sett.yml, where commands run. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
};

/** Those that agents name, each read once. Throws `config-invalid`, and `interrupted`. No message has a part of a value. */
export async function readSecrets(
  { agents, secrets }: Pick<SettConfig, "agents" | "secrets">,
  machine: Machine,
): Promise<SecretValues> {
  const values = new Map<string, string>();
  // One after the other: the commands of two may both ask for a password.
  for (const name of usedSecrets({ agents })) {
    const source = secrets[name];
    if (source !== undefined) values.set(name, (await readSecret(name, source, machine)).toString("base64"));
  }
  return Object.fromEntries(
    agents
      .filter((agent) => agent.secrets.length > 0)
      .map((agent) => [agent.name, Object.fromEntries(agent.secrets.map(({ name }) => [name, values.get(name) ?? ""]))]),
  );
}

/** A sentence for each file that is committed: agents, and everyone with a clone, can read it there. */
export async function committedSecrets(
  { agents, secrets }: Pick<SettConfig, "agents" | "secrets">,
  repository: Pick<HostRepository, "isTracked">,
): Promise<string[]> {
  const sentences: string[] = [];
  for (const name of usedSecrets({ agents })) {
    const file = secrets[name]?.file;
    if (file === undefined || !(await repository.isTracked(file))) continue;
    sentences.push(
      `The file of the secret ${name} is in git, where agents can read it: ${file}. Keep it outside of the repository, and replace the value.`,
    );
  }
  return sentences;
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
      `${from} has a value of ${value.length} bytes`,
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
async function outputOf(name: string, [program = "", ...words]: string[], { folder, env, signal }: Machine): Promise<Buffer> {
  const hint = "Run it in the folder of sett.yml to see why, or change `command` of the secret.";
  try {
    const child = spawn(program, words, { cwd: folder, env, stdio: ["inherit", "pipe", "inherit"], signal });
    const ended = once(child, "close");
    ended.catch(() => undefined);
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
    const [exitCode, killedBy] = (await ended) as [number | null, string | null];
    if (exitCode !== 0) throw invalid(name, `its command ${program} ended with ${killedBy ?? `exit code ${exitCode}`}`, hint);
    return Buffer.from(
      Buffer.concat(chunks)
        .toString("latin1")
        .replace(/\r?\n$/, ""),
      "latin1",
    );
  } catch (error) {
    if (signal.aborted) throw new SettError("interrupted", "Interrupted.", { cause: error });
    if (error instanceof SettError) throw error;
    throw invalid(name, `its command cannot be started: ${messageOf(error)}`, hint);
  }
}

function invalid(name: string, problem: string, hint: string): SettError {
  return new SettError("config-invalid", `The secret ${name} cannot be read: ${problem}.`, { hint });
}

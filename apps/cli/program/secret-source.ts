// Reads the value of one secret from where sett.yml says it is: a file, a variable, or a command
// such as a password manager.
import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { aborted } from "../../../lib/async/sleep.ts";
import { secretsOfAgents, type WithSecrets } from "../../../lib/config/resolve-secrets.ts";
import type { ClusterSecret, SecretSource } from "../../../lib/model/config-secrets.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { killGroup } from "../../../lib/process/kill-group.ts";

export const maxBytes = 64 * 1024;

export type Machine = {
  /** The folder of sett.yml, where commands run. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  /**
   * Is given which command or file is waited for, if it takes more than 3 s: it may ask a person,
   * out of sight.
   */
  onSlow?: (sentence: string) => void;
  /** The value of a Secret of the cluster; undefined where an instance is in none. */
  secretIn?: ((secret: ClusterSecret) => Promise<Buffer>) | undefined;
  /** No person can answer a command, which gets no terminal and so long. */
  aloneMs?: number;
};

const slowMs = 3_000;

/**
 * The values of agents' secrets that can be read without running a command or waiting for a pipe,
 * also those that `sett up` would refuse.
 */
export async function readableValues(
  { secrets, agents }: Pick<WithSecrets, "secrets" | "agents">,
  machine: Machine,
): Promise<{ values: Map<string, Buffer>; unread: string[] }> {
  const values = new Map<string, Buffer>();
  const unread: string[] = [];
  for (const name of secretsOfAgents({ agents })) {
    const source = secrets[name];
    const read =
      source === undefined || source.command !== undefined || (await isPipe(source.file))
        ? undefined
        : await readSource(name, source, machine).catch(() => undefined);
    if (read === undefined || read.value.length === 0) unread.push(name);
    else values.set(name, read.value);
  }
  return { values, unread };
}

/** A password manager may write a value into one whenever it is read. */
async function isPipe(file: string | undefined): Promise<boolean> {
  if (file === undefined) return false;
  return await stat(file).then(
    (stats) => !stats.isFile(),
    () => false,
  );
}

/** `from`: a noun for messages. Throws `config-invalid`, and `interrupted`. */
export async function readSource(
  name: string,
  source: SecretSource,
  machine: Machine,
): Promise<{ value: Buffer; from: string }> {
  const { aloneMs, signal } = machine;
  if (aloneMs === undefined) return await readWithin(name, source, machine);
  const late = AbortSignal.timeout(aloneMs);
  const within = { ...machine, signal: AbortSignal.any([signal, late]) };
  try {
    return await readWithin(name, source, within);
  } catch (error) {
    if (signal.aborted || !late.aborted) throw error;
    const what = source.command === undefined ? "its file" : `its command ${source.command[0]}`;
    throw invalidSecret(
      name,
      `${what} gave nothing within ${aloneMs / 1_000} s`,
      "No person can answer it here. Unlock the password manager, or run `sett up` by hand.",
    );
  }
}

async function readWithin(
  name: string,
  source: SecretSource,
  machine: Machine,
): Promise<{ value: Buffer; from: string }> {
  const { file, environment, command, kubernetes } = source;
  if (kubernetes !== undefined && machine.secretIn !== undefined)
    return {
      value: await machine.secretIn(kubernetes),
      from: `the key ${kubernetes.key} of the Secret ${kubernetes.name}`,
    };
  if (kubernetes !== undefined)
    throw invalidSecret(
      name,
      `it is in the Secret ${kubernetes.name} of a cluster`,
      "`sett up --runtime kubernetes` gives it to pods. Elsewhere the secret needs `file`, `environment` or `command`.",
    );
  if (file !== undefined)
    return { value: await fileOf(name, file, machine), from: `the file ${file}` };
  if (environment !== undefined)
    return {
      value: Buffer.from(machine.env[environment] ?? ""),
      from: `the variable ${environment}`,
    };
  return {
    value: await outputOf(name, command ?? [], machine),
    from: `the output of ${command?.[0]}`,
  };
}

/** It may be a pipe, or a device without an end. */
async function fileOf(name: string, file: string, machine: Machine): Promise<Buffer> {
  const { signal } = machine;
  const timer = sayIfSlow(machine, `the file of the secret ${name}: ${file}`);
  try {
    // The opening of a pipe without a writer cannot be called off.
    return await Promise.race([
      readUpTo(createReadStream(file, { signal }), maxBytes + 3),
      aborted(signal).then(() => {
        throw new Error("Interrupted.");
      }),
    ]);
  } catch (error) {
    if (signal.aborted) throw new SettError("interrupted", "Interrupted.", { cause: error });
    throw invalidSecret(
      name,
      `its file cannot be read: ${messageOf(error)}`,
      "Write it, or change `file` of the secret in sett.yml.",
    );
  } finally {
    clearTimeout(timer);
  }
}

function sayIfSlow({ onSlow }: Machine, what: string): NodeJS.Timeout {
  return setTimeout(() => onSlow?.(`Waiting for ${what}.`), slowMs);
}

/** The command may ask a person for a password: it has the terminal. */
async function outputOf(
  name: string,
  [program = "", ...words]: string[],
  machine: Machine,
): Promise<Buffer> {
  const { folder, env, signal, aloneMs } = machine;
  const isAlone = aloneMs !== undefined;
  const hint = "Run it in the folder of sett.yml to see why, or change `command` of the secret.";
  const timer = sayIfSlow(machine, `the command of the secret ${name}: ${program}`);
  try {
    const child = spawn(program, words, {
      cwd: folder,
      env,
      stdio: [isAlone ? "ignore" : "inherit", "pipe", "inherit"],
      // A session of its own has no terminal that it could ask at.
      detached: isAlone,
      signal,
    });
    const ended = once(child, "close");
    ended.catch(() => undefined);
    // What it has started may hold its output open.
    const leave = () => {
      if (isAlone && child.pid !== undefined) killGroup(child.pid, "SIGKILL");
      child.stdout.destroy();
    };
    signal.addEventListener("abort", leave, { once: true });
    // An output without an end would fill the memory.
    await Promise.race([once(child, "spawn"), ended]);
    const output = await readUpTo(child.stdout, maxBytes + 3);
    if (output.length > maxBytes + 2) {
      child.kill();
      return output;
    }
    const [exitCode, killedBy] = (await ended) as [number | null, string | null];
    if (exitCode !== 0)
      throw invalidSecret(
        name,
        `its command ${program} ended with ${killedBy ?? `exit code ${exitCode}`}`,
        hint,
      );
    return Buffer.from(output.toString("latin1").replace(/\r?\n$/, ""), "latin1");
  } catch (error) {
    if (signal.aborted) throw new SettError("interrupted", "Interrupted.", { cause: error });
    if (error instanceof SettError) throw error;
    throw invalidSecret(name, `its command cannot be started: ${messageOf(error)}`, hint);
  } finally {
    clearTimeout(timer);
  }
}

/** The maximum of bytes that are read of it. */
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

export function invalidSecret(name: string, problem: string, hint: string): SettError {
  return new SettError("config-invalid", `The secret ${name} cannot be read: ${problem}.`, {
    hint,
  });
}

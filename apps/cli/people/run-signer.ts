// Runs `ssh-keygen`, or the program that git has in its place, to sign a statement.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aborted } from "../../../lib/async/sleep.ts";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { namespace } from "../../../lib/proof/statement.ts";
import type { Shell } from "../terminal/shell.ts";

/** `file`: of the key; undefined: `publicKey` is of a key that ssh-agent has. */
export type SshSigner = {
  program: string;
  file: string | undefined;
  publicKey: string | undefined;
};

/** A person may have to touch a device, or to type a passphrase. */
const signingMs = 300_000;
const maxOutputBytes = 65_536;
const nothing = "nothing was posted";

/**
 * The signature, armoured. The program may ask for a passphrase at the terminal. Throws
 * `command-failed` where it does not sign, `interrupted`, and `usage` without the key.
 */
export async function runSigner(
  statement: string,
  { program, file, publicKey }: SshSigner,
  shell: Shell,
): Promise<string> {
  if (file !== undefined) await requireFile(file);
  const folder = publicKey === undefined ? undefined : await mkdtemp(join(tmpdir(), "sett-key-"));
  const path = folder === undefined ? (file ?? "") : join(folder, "key.pub");
  try {
    if (publicKey !== undefined) await writeFile(path, `${publicKey}\n`);
    const fromAgent = publicKey === undefined ? [] : ["-U"];
    const args = ["-Y", "sign", "-n", namespace, "-f", path, ...fromAgent];
    return await run(statement, { program, args }, shell);
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function requireFile(path: string): Promise<void> {
  if ((await stat(path).catch(() => undefined))?.isFile() === true) return;
  throw new SettError("usage", `There is no key ${oneLine(path)}: ${nothing}.`, {
    hint: "Make one with `ssh-keygen -t ed25519`, or name another with --sign-with.",
  });
}

async function run(
  statement: string,
  { program, args }: { program: string; args: readonly string[] },
  { env, err, interrupted }: Shell,
): Promise<string> {
  // It stays in the group of the terminal, where it asks for a passphrase.
  const child = spawn(program, args, { env: { ...env }, stdio: ["pipe", "pipe", "pipe"] });
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), signingMs);
  const texts = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (texts.out.length < maxOutputBytes) texts.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (texts.err.length < maxOutputBytes) texts.err += text;
    // It says so when a device waits for a touch.
    void err.write(text);
  });
  // It may end without reading.
  child.stdin.on("error", () => undefined).end(statement);
  try {
    const waits = AbortSignal.any([interrupted, over.signal]);
    const [code, signal]: (number | string | null)[] = await Promise.race([
      once(child, "close"),
      aborted(waits).then((): never => {
        throw tooLate(program, interrupted.aborted);
      }),
    ]);
    if (code === 0) return texts.out;
    const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
    const [said = ""] = texts.err.trim().split("\n").reverse();
    throw notSigned(`\`${oneLine(program)}\` ${how}${said === "" ? "" : `: ${oneLine(said)}`}`);
  } catch (error) {
    if (error instanceof SettError) throw error;
    throw notSigned(`\`${oneLine(program)}\` cannot be started: ${oneLine(messageOf(error))}`);
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }
}

function tooLate(program: string, isInterrupted: boolean): SettError {
  return isInterrupted
    ? new SettError("interrupted", `Interrupted while you were to sign: ${nothing}.`)
    : notSigned(`\`${oneLine(program)}\` has not signed within 5 minutes`);
}

function notSigned(why: string): SettError {
  return new SettError("command-failed", `It was not signed, and ${nothing}: ${why}.`, {
    hint: "Where it cannot ask for a passphrase, `ssh-add` gives the key to ssh-agent once.",
  });
}

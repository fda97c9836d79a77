// A real redis-server on a free port, with its own directory, that a test can stop, kill, freeze
// and start again.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { type DetachedProcess, startDetached } from "../process/detached-process.ts";
import { waitFor } from "../wait-for.ts";

/**
 * For a blackboard's connection: neither a busy machine nor a Redis that a test starts again is
 * given up.
 */
export const patient = { timeoutMs: 20_000, giveUpMs: 60_000, onLost: () => {} };

export type RedisServer = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  /** The folder in which it keeps its data. */
  readonly folder: string;
  /** Ends it with SIGTERM, as an orderly stop would. */
  stop(): Promise<void>;
  /**
   * Ends it with SIGKILL, as a crash would, once its file has what it acknowledged: on a slow disk
   * it may lag behind by two seconds.
   */
  kill(): Promise<void>;
  /** Starts it again on the same port and data; resolves when it serves. */
  start(): Promise<void>;
  /** SIGSTOP: it holds its connections and answers nothing. */
  freeze(): void;
  /** SIGCONT. */
  unfreeze(): void;
  /**
   * Types what a person would: `cli("HSET", key, field, value)` runs redis-cli and returns its
   * output.
   */
  cli(...words: string[]): Promise<string>;
};

/**
 * `password` makes the server ask for it; the url names it. `folder`: where it keeps its data,
 * which then stays. Append-only, like the ones that Sett starts. `hasUsers`: it keeps users in a
 * file. `settings`: as in Redis' own file. `program`: default the one of this machine.
 */
export async function startRedisServer(
  options: {
    password?: string;
    folder?: string;
    hasUsers?: boolean;
    settings?: readonly string[];
    program?: string;
  } = {},
): Promise<RedisServer> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "sett-redis-")));
  const credentials = options.password === undefined ? "" : `:${options.password}@`;
  // Never synced: what a killed Redis wrote is with the system already, and no test waits for a
  // busy disk.
  const files = ["--dir", folder, "--save", "", "--appendonly", "yes", "--appendfsync", "no"];
  const settings = ["--bind", "127.0.0.1", ...files, ...flagsOf(options.settings ?? [])];
  if (options.password !== undefined && !options.hasUsers)
    settings.push("--requirepass", options.password);
  if (options.hasUsers) settings.push("--aclfile", await aclFileIn(folder, options.password));
  const passwordFlags =
    options.password === undefined ? [] : ["-a", options.password, "--no-auth-warning"];

  const { program = "redis-server" } = options;
  const first = await launchOnFreePort(program, settings);
  const { port } = first;
  const arguments_ = [program, "--port", String(port), ...settings];
  let child: DetachedProcess | undefined = first.child;
  let isFrozen = false;
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    child = undefined;
    if (running === undefined) return;
    running.signal(signal);
    // A frozen process takes SIGTERM only once it goes on.
    running.signal("SIGCONT");
    await running.exited;
    isFrozen = false;
  };

  return {
    url: `redis://${credentials}127.0.0.1:${port}`,
    port,
    folder,
    stop: () => end("SIGTERM"),
    kill: async () => {
      if (!isFrozen) await untilWritten(["redis-cli", "-p", String(port), ...passwordFlags]);
      await end("SIGKILL");
    },
    start: async () => {
      child ??= await launchPatiently(arguments_);
    },
    freeze: () => {
      isFrozen = true;
      child?.signal("SIGSTOP");
    },
    unfreeze: () => {
      isFrozen = false;
      child?.signal("SIGCONT");
    },
    cli: async (...words) => {
      const { stdout } = await promisify(execFile)("redis-cli", [
        "-p",
        String(port),
        ...passwordFlags,
        ...words,
      ]);
      return stdout.replace(/\n$/, "");
    },
    [Symbol.asyncDispose]: async () => {
      await end("SIGKILL");
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The arguments of redis-server for lines of its file. */
export function flagsOf(settings: readonly string[]): string[] {
  return settings.flatMap((line) => {
    const [name = "", ...values] = line.split(" ");
    return [`--${name}`, ...values];
  });
}

async function aclFileIn(folder: string, password: string | undefined): Promise<string> {
  const file = join(folder, "users.acl");
  await writeFile(
    file,
    `user default on ${password === undefined ? "nopass" : `>${password}`} ~* &* +@all\n`,
  );
  return file;
}

/**
 * Resolves once Redis has handed to the system all that it acknowledged; at once where it does not
 * answer.
 */
export async function untilWritten([command = "", ...words]: string[]): Promise<void> {
  const isWritten = () =>
    promisify(execFile)(command, [...words, "INFO", "persistence"], { timeout: 10_000 }).then(
      ({ stdout }) => !/aof_buffer_length:[1-9]/.test(stdout),
      () => true,
    );
  await waitFor("Redis to have written its file", isWritten);
}

/** A port that was free a moment ago may be taken by now. */
async function launchOnFreePort(
  program: string,
  settings: string[],
  tries = 5,
): Promise<{ port: number; child: DetachedProcess }> {
  const port = await freePort();
  try {
    return { port, child: await launch([program, "--port", String(port), ...settings]) };
  } catch (error) {
    if (tries === 1) throw error;
    return launchOnFreePort(program, settings, tries - 1);
  }
}

/** Another process may have the port for a moment, for a connection of its own. */
async function launchPatiently(arguments_: string[], tries = 60): Promise<DetachedProcess> {
  try {
    return await launch(arguments_);
  } catch (error) {
    if (tries === 1) throw error;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return launchPatiently(arguments_, tries - 1);
  }
}

async function launch(arguments_: string[]): Promise<DetachedProcess> {
  // A file that may not grow is one that cannot be written, as on a full disk: no signal ends the
  // server for it.
  const child = startDetached([
    "/bin/sh",
    "-c",
    `trap '' XFSZ; exec "$@"`,
    "redis-server",
    ...arguments_,
  ]);
  const seen: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    seen.push(line);
    if (line.includes("Ready to accept connections")) {
      // Keep the pipes empty, or a talkative server would stand still.
      child.stdout.resume();
      child.stderr.resume();
      return child;
    }
  }
  throw new Error(`redis-server did not start:\n${seen.join("\n")}`);
}

/**
 * Below those that systems give out by themselves, so that no connection of anybody takes it
 * meanwhile.
 */
const [firstPort, ports] = [15_000, 17_000];

/** A TCP port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + Math.floor(Math.random() * ports);
    const server = createServer();
    const isFree = once(server.listen(port, "127.0.0.1"), "listening").then(
      () => true,
      () => false,
    );
    if (!(await isFree)) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

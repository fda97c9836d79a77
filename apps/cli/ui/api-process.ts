// The program of the API as a process of `sett ui`, which ends with it.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { RedisPlace } from "../instance/place.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export type ApiSettings = {
  place: Pick<RedisPlace, "instance" | "redisUrl" | "workspace">;
  /** The variables with the places of logs, and of commits that are not in folders. */
  ways: Record<string, string>;
  /** Its one token, as the API knows it. */
  token: object;
  /** The key of the page's sessions, in hexadecimal. */
  sessionKey: string;
  /** 0: any that is free. */
  port: number;
};

/** Short: a Redis that has started again may have another port, which only a new process learns. */
const giveUp = "1500ms";
/** Names of this machine, as only its own programs use them. */
const ownNames = ["127.0.0.1", "localhost", "[::1]"];
const keptLines = 20;
const endMs = 3_000;

/**
 * The process, which loads its program while its settings are still gathered: half of the time
 * until it answers.
 */
export class ApiProcess implements AsyncDisposable {
  /** Its last lines, once it has ended. */
  readonly ended: Promise<string[]>;
  readonly #child: ChildProcess;
  readonly #port: Promise<number>;

  constructor(program: readonly string[], env: Environment) {
    const [file = "", ...args] = program;
    const child = spawn(file, [...args, "--settings"], {
      env: environmentFor(env),
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.on("error", () => undefined);
    const last: string[] = [];
    const keep = (line: string) => {
      last.push(line);
      if (last.length > keptLines) last.shift();
    };
    this.#port = new Promise((resolve) => {
      createInterface(child.stdout).on("line", (line) => {
        const port = portIn(line);
        if (port !== undefined) resolve(port);
        keep(line);
      });
    });
    createInterface(child.stderr).on("line", keep);
    this.ended = new Promise((resolve) => {
      child.once("error", ({ message }) => resolve([message]));
      child.once("close", () => resolve(last));
    });
    this.#child = child;
  }

  /** Resolves with its port when it answers, or with its last lines where it has ended before. */
  async start(settings: ApiSettings): Promise<number | string[]> {
    // Its standard input stays open, and ends with this program, however that ends.
    this.#child.stdin?.write(`${JSON.stringify(variablesOf(settings))}\n`);
    return await Promise.race([this.#port, this.ended]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), endMs);
    await this.ended;
    clearTimeout(timer);
  }
}

/**
 * Returns the variables that git and the runtime need of this machine, and no setting of another
 * sett.
 */
function environmentFor({
  BUN_OPTIONS: _,
  BUN_BE_BUN: __,
  REDIS_URL: ___,
  ...own
}: Environment): Environment {
  return Object.fromEntries(Object.entries(own).filter(([name]) => !name.startsWith("SETT_")));
}

function variablesOf({
  place,
  ways,
  token,
  sessionKey,
  port,
}: ApiSettings): Record<string, string> {
  const { workspace = "" } = place;
  return {
    SETT_INSTANCE_NAME: place.instance,
    REDIS_URL: place.redisUrl,
    SETT_REDIS_GIVE_UP: giveUp,
    SETT_API_HOST: "127.0.0.1",
    SETT_API_NAMES: JSON.stringify(ownNames),
    SETT_API_PORT: String(port),
    SETT_API_TOKENS: JSON.stringify([token]),
    SETT_API_SESSION_KEY: sessionKey,
    SETT_HEALTH_HOST: "127.0.0.1",
    SETT_HEALTH_PORT: "0",
    ...(workspace === "" ? {} : { SETT_REPOSITORY_DIR: workspace }),
    ...ways,
  };
}

/** The port that the line names with which it says that it has started. */
function portIn(line: string): number | undefined {
  try {
    const { msg, port } = JSON.parse(line);
    return msg === "API started" && typeof port === "number" ? port : undefined;
  } catch {
    return undefined;
  }
}

// Connections to an Engine through the person's own `ssh`, as docker makes them: each is a run of
// `docker system dial-stdio` there. So the configuration, keys and known hosts of ssh count.
//
// One ssh holds the way, and the others go through it: only the first one proves who they are. It
// asks no question, and its own input ends with this process, however that ends.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { access, mkdtemp } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { Duplex, type Readable, type Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, SettError } from "../../model/errors.ts";
import { shellWord } from "../../model/shell-word.ts";
import type { HostEnvironment } from "./docker-config.ts";
import { sshFailure } from "./ssh-failure.ts";

type Ssh = ChildProcessByStdio<Writable, Readable, Readable>;

/** ssh itself gives up after the first of these; a program in its way may never do so. */
const [connectSeconds, beginMs] = [8, 9_000];
const pollMs = 10;
/** The end of what it says has the reason. */
const keptOutput = 4_096;

export class SshWay {
  readonly #host: string;
  readonly #env: HostEnvironment;
  readonly #target: readonly string[];
  readonly #command: readonly string[];
  #sharing: readonly string[] = [];

  /** Throws `docker-unreachable` for an address that ssh could not use. */
  constructor(host: string, env: HostEnvironment) {
    this.#host = host;
    this.#env = env;
    const { username, password, hostname, port, pathname } = new URL(host);
    if (password !== "" || hostname === "") {
      const problem = password === "" ? "it names no machine" : "ssh takes no password from it";
      throw new SettError(
        "docker-unreachable",
        `${withoutPassword(host)} cannot be used: ${problem}.`,
        {
          hint: "An address is `ssh://USER@HOST:PORT`. Keys prove who you are: `ssh-add`.",
        },
      );
    }
    const socket = pathname.replace(/\/+$/, "");
    this.#target = [
      ...(username === "" ? [] : ["-l", decodeURIComponent(username)]),
      ...(port === "" ? [] : ["-p", port]),
      "--",
      hostname.replace(/^\[|\]$/g, ""),
    ];
    const other = socket === "" ? [] : ["--host", shellWord(`unix://${socket}`)];
    this.#command = ["docker", ...other, "system", "dial-stdio"];
  }

  /**
   * Opens the way, unless the person's own configuration shares one that is open. Throws
   * `docker-unreachable` within ten seconds.
   */
  async begin(): Promise<void> {
    if (await this.#sharesAlready()) return;
    const folder = await mkdtemp(join(tmpdir(), "sett-ssh-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, "s");
    const holder = this.#start(["-o", "ControlMaster=yes", "-o", `ControlPath=${path}`]);
    unreference(holder);
    let ended: Error | undefined;
    const end = endOf(holder, this.#host).then((error) => {
      ended = error ?? new Error("ssh has ended");
    });
    const deadline = performance.now() + beginMs;
    while (ended === undefined && !(await exists(path))) {
      if (performance.now() >= deadline) {
        holder.kill("SIGKILL");
        await end;
        throw sshFailure(this.#host, `no connection within ${beginMs / 1_000} s`);
      }
      await sleep(pollMs);
    }
    if (ended !== undefined) throw ended;
    this.#sharing = ["-o", "ControlMaster=auto", "-o", `ControlPath=${path}`];
  }

  /** It uses a connection again; more than `maxSockets` requests wait for each other. */
  agent(maxSockets = Number.POSITIVE_INFINITY): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets });
    return Object.assign(agent, {
      createConnection: () => new SshStream(this.#start(this.#sharing), this.#host),
    });
  }

  /** A command that reaches no network. */
  async #sharesAlready(): Promise<boolean> {
    const check = this.#spawn(["-O", "check", ...this.#target]);
    check.stdin.end();
    return (await endOf(check, this.#host)) === undefined;
  }

  #start(options: readonly string[]): Ssh {
    const always = ["-T", "-o", "BatchMode=yes", "-o", `ConnectTimeout=${connectSeconds}`];
    const alive = ["-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3"];
    return this.#spawn([...always, ...alive, ...options, ...this.#target, ...this.#command]);
  }

  #spawn(args: readonly string[]): Ssh {
    // A group of its own: Ctrl-C of a terminal would otherwise cut what an undo needs.
    return spawn("ssh", args, {
      env: this.#env as NodeJS.ProcessEnv,
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
  }
}

/** One connection. Its end is known with the reason only when ssh has ended. */
class SshStream extends Duplex {
  readonly #ssh: Ssh;

  constructor(ssh: Ssh, host: string) {
    super();
    this.#ssh = ssh;
    ssh.stdout.on("data", (bytes: Uint8Array) => {
      if (!this.push(bytes)) ssh.stdout.pause();
    });
    void endOf(ssh, host).then((error) => {
      if (this.destroyed) return;
      if (error === undefined) this.push(null);
      else this.destroy(error);
    });
  }

  override _read(): void {
    this.#ssh.stdout.resume();
  }

  override _write(bytes: Uint8Array, _: string, done: (error?: Error | null) => void): void {
    this.#ssh.stdin.write(bytes, done);
  }

  override _final(done: () => void): void {
    this.#ssh.stdin.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#ssh.kill();
    done(error);
  }

  /** An agent asks these of a socket. One that nothing waits for does not keep the program. */
  setKeepAlive(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setTimeout(): this {
    return this;
  }
  ref(): this {
    reference(this.#ssh);
    return this;
  }
  unref(): this {
    unreference(this.#ssh);
    return this;
  }
}

/** Undefined where it has ended well; else why it has not. Never rejects. */
async function endOf(ssh: Ssh, host: string): Promise<Error | undefined> {
  let said = "";
  ssh.stderr.on("data", (bytes: Uint8Array) => {
    said = (said + Buffer.from(bytes).toString()).slice(-keptOutput);
  });
  // Its end says why it takes no more.
  ssh.stdin.on("error", () => undefined);
  return await new Promise((resolve) => {
    ssh.once("error", (error) => resolve(sshFailure(host, messageOf(error), error)));
    ssh.once("close", (code) => resolve(code === 0 ? undefined : sshFailure(host, said)));
  });
}

type Referenced = { ref?(): unknown; unref?(): unknown };

function partsOf(ssh: Ssh): Referenced[] {
  return [ssh, ssh.stdin, ssh.stdout, ssh.stderr] as unknown as Referenced[];
}

function reference(ssh: Ssh): void {
  for (const part of partsOf(ssh)) part.ref?.();
}

function unreference(ssh: Ssh): void {
  for (const part of partsOf(ssh)) part.unref?.();
}

function withoutPassword(host: string): string {
  const url = new URL(host);
  url.password = "";
  return url.href;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

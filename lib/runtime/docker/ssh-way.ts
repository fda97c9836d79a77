// Connections to an Engine through the person's own `ssh`, so that its configuration, keys and
// known hosts count.
//
// One ssh holds the way: it alone proves who they are. It asks no question, and its own input ends
// with this process, however that ends. It leads to the Engine's socket there, which `docker` of
// that machine names, and a connection costs no program on either machine. Where that machine
// forwards no sockets, or the Engine has none, each connection is a run of
// `docker system dial-stdio` there, as docker makes them.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { access, mkdtemp } from "node:fs/promises";
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
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
/** A way that is kept open answers at once. */
const sharedMs = 3_000;
const pollMs = 10;
/** What is forbidden is closed at once. What is not may have to wait for a busy machine. */
const forwardMs = 20_000;
/** An sshd lets ten commands go through one connection, streams among them. */
const shortCommands = 4;
/** The Engine answers this where that machine runs a command of its own choice. */
const probe = "GET /_ping HTTP/1.1\r\nHost: docker\r\n\r\n";
/** The end of what it says has the reason. */
const keptOutput = 4_096;

/** One for each address and environment: a program has several clients of its Engine. */
const ways = new Map<string, SshWay>();

/** Throws `docker-unreachable` for an address that ssh could not use. */
export function sshWay(host: string, env: HostEnvironment): SshWay {
  const key = JSON.stringify([host, env]);
  const way = ways.get(key) ?? new SshWay(host, env);
  ways.set(key, way);
  return way;
}

export class SshWay {
  readonly #host: string;
  readonly #env: HostEnvironment;
  readonly #target: readonly string[];
  readonly #command: readonly string[];
  /** A path in the address. */
  readonly #socket: string;
  readonly #short = this.#agent(shortCommands);
  readonly #long = this.#agent();
  #sharing: readonly string[] = [];
  #begun: Promise<void> | undefined;
  /** Its end is known a moment after that of its connections. */
  #holder: Ssh | undefined;
  /** The socket of this machine that leads to the Engine's. */
  #forwarded: string | undefined;

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
    this.#socket = socket;
    const other = socket === "" ? [] : ["--host", shellWord(`unix://${socket}`)];
    this.#command = ["docker", ...other, "system", "dial-stdio"];
  }

  /**
   * Opens the way, unless it is open, or the person's own configuration shares one that is. Throws
   * `docker-unreachable` within ten seconds.
   */
  async begin(): Promise<void> {
    this.#begun ??= this.#begin().catch((error: unknown) => {
      this.#begun = undefined;
      throw error;
    });
    await this.#begun;
  }

  async #begin(): Promise<void> {
    const deadline = performance.now() + beginMs;
    if (await this.#sharesAlready()) return;
    const folder = await mkdtemp(join(folderForSockets(), "sett-ssh-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, "s");
    const holding = ["-o", "ControlMaster=yes", "-o", `ControlPath=${path}`];
    const holder = this.#start(holding, this.#holdingCommand());
    this.#holder = holder;
    unreference(holder);
    const named = firstLine(holder);
    holder.stdin.write(probe);
    let ended: Error | undefined;
    const end = endOf(holder, this.#host).then((error) => {
      ended = error ?? new Error("ssh has ended");
      if (this.#holder === holder) this.#close();
    });
    while (ended === undefined && !(await exists(path))) {
      if (performance.now() >= deadline) {
        holder.kill("SIGKILL");
        await end;
        throw sshFailure(this.#host, `no connection within ${beginMs / 1_000} s`);
      }
      await sleep(pollMs);
    }
    this.#sharing = ["-o", "ControlMaster=auto", "-o", `ControlPath=${path}`];
    const left = Math.max(deadline - performance.now(), 0);
    const socket = await Promise.race([named, end, sleep(left, undefined, { ref: false })]);
    if (ended !== undefined) throw ended;
    const [, there] = /^unix:\/\/(\/.*)$/.exec(socket ?? "") ?? [];
    if (there === undefined) return;
    if (await this.#forward(path, join(folder, "e"), there)) this.#forwarded = join(folder, "e");
    // No program there, and no session of its ssh, is used for a request from now on.
    if (this.#forwarded !== undefined) this.#short.maxSockets = Number.POSITIVE_INFINITY;
  }

  /**
   * Whether a request that has failed was not sent, because the way has just ended: then it is
   * opened anew, once for all requests that have failed with it.
   */
  isToRepeat(error: unknown): boolean {
    const { code, syscall, address } = Object(error);
    // A body of files has the same code where one of them is gone.
    if (syscall !== "connect" || (code !== "ECONNREFUSED" && code !== "ENOENT")) return false;
    if (address === this.#forwarded) this.#close();
    return true;
  }

  /** The end of a holder that is known later is not that of the way that is opened anew. */
  #close(): void {
    this.#forwarded = undefined;
    this.#begun = undefined;
    this.#holder = undefined;
  }

  /** They use a connection again; one for requests that take long is of another kind. */
  agents(): { short: Agent; long: Agent } {
    return { short: this.#short, long: this.#long };
  }

  /** More than `maxSockets` requests wait for each other. */
  #agent(maxSockets = Number.POSITIVE_INFINITY): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets });
    return Object.assign(agent, {
      createConnection: () =>
        this.#forwarded === undefined
          ? new SshStream(this.#start(this.#sharing), this.#host)
          : connect(this.#forwarded),
    });
  }

  /** Says where the Engine's socket is, and lasts; else it is a connection, as the others. */
  #holdingCommand(): string[] {
    const named =
      this.#socket === ""
        ? "docker context inspect --format '{{.Endpoints.docker.Host}}' 2> /dev/null"
        : `echo ${shellWord(`unix://${this.#socket}`)}`;
    return [`${named} && exec cat > /dev/null || exec ${this.#command.join(" ")}`];
  }

  /** False where that machine forwards no sockets, or nothing that speaks HTTP listens there. */
  async #forward(control: string, here: string, there: string): Promise<boolean> {
    const order = ["-o", `ControlPath=${control}`, "-O", "forward", "-L", `${here}:${there}`];
    const ssh = this.#spawn([...order, ...this.#target]);
    ssh.stdin.end();
    if ((await endOf(ssh, this.#host)) !== undefined) return false;
    const socket = connect(here);
    try {
      socket.on("error", () => undefined).write(probe);
      return (await firstOf(socket)).startsWith("HTTP/");
    } finally {
      socket.destroy();
    }
  }

  /**
   * The first command reaches no network, and the second one what the person's own way still
   * reaches: it may be of a machine that slept, or of a network that is gone.
   */
  async #sharesAlready(): Promise<boolean> {
    return (await this.#succeeds(["-O", "check"])) && (await this.#succeeds([], ["true"]));
  }

  async #succeeds(options: readonly string[], command: readonly string[] = []): Promise<boolean> {
    const ssh = this.#spawn(["-T", "-o", "BatchMode=yes", ...options, ...this.#target, ...command]);
    ssh.stdin.on("error", () => undefined).end();
    const late = setTimeout(() => ssh.kill("SIGKILL"), sharedMs);
    try {
      return await new Promise((resolve) => {
        ssh.once("error", () => resolve(false));
        // Its pipes may outlast it: the ssh that holds the way has them as well.
        ssh.once("exit", (code) => resolve(code === 0));
      });
    } finally {
      clearTimeout(late);
      for (const pipe of [ssh.stdout, ssh.stderr]) pipe.destroy();
    }
  }

  #start(options: readonly string[], command = this.#command): Ssh {
    const always = ["-T", "-o", "BatchMode=yes", "-o", `ConnectTimeout=${connectSeconds}`];
    const alive = ["-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3"];
    return this.#spawn([...always, ...alive, ...options, ...this.#target, ...command]);
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

/**
 * The path of a socket has 104 bytes on some systems, of which ssh needs 17 to make it: CI and some
 * desktops have longer temporary folders.
 */
function folderForSockets(): string {
  const own = tmpdir();
  return Buffer.byteLength(own) > 60 ? "/tmp" : own;
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

/** Never rejects; pending where it says nothing. */
async function firstLine(ssh: Ssh): Promise<string> {
  let said = "";
  return await new Promise((resolve) => {
    ssh.stdout.on("data", (bytes: Uint8Array) => {
      said = (said + Buffer.from(bytes).toString()).slice(0, keptOutput);
      const [line, ...more] = said.split(/\r?\n/);
      if (more.length > 0) resolve(line ?? "");
    });
  });
}

/** The first bytes that come; none where it is closed before, or is silent for too long. */
async function firstOf(socket: Socket): Promise<string> {
  const over = AbortSignal.timeout(forwardMs);
  return await new Promise((resolve) => {
    const end = () => resolve("");
    over.addEventListener("abort", end, { once: true });
    socket.once("close", end);
    socket.once("data", (bytes: Uint8Array) => resolve(Buffer.from(bytes).toString()));
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

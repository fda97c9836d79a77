// Records what each user of a Redis has sent to it, and what functions have run for that user: from
// Redis' own MONITOR.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { RedisServer } from "./redis-server.ts";

/** `words`: what follows the command, as far as the beginning of its line has it. */
export type Sent = { command: string; words: string[] };

export type CommandRecord = Disposable & {
  /** Programs connect here, so that it is known whose every connection is. */
  readonly url: string;
  /**
   * Connects again where the test has ended every connection. What is sent meanwhile is left out.
   */
  restart(): Promise<void>;
  /** Returns the commands by user. */
  read(): Promise<ReadonlyMap<string, readonly Sent[]>>;
};

/**
 * `[0 127.0.0.1:4711] "GET" "key"`, or `[0 lua] …` for what a function runs, which follows its
 * call.
 */
const monitorLine = /^\+?[\d.]+ \[\d+ (?<source>[^\]]+)\] "(?<command>[^"]*)"(?<rest>.*)$/;

/** In the first command of a connection. */
const authenticated = /\r\nAUTH\r\n\$\d+\r\n(?<user>\S+)\r\n/;

/** Payloads can be long, and are not read. */
const readOfLine = 2_000;

export async function recordCommands({
  port,
  url,
  cli,
}: Pick<RedisServer, "port" | "url" | "cli">): Promise<CommandRecord> {
  const seen: { source: string; sent: Sent }[] = [];
  const echoed = new Map<string, () => void>();
  let caller = "";
  const door = await openDoor(port, () => seen.length);
  const read = (line: string) => {
    const { source = "", command = "", rest = "" } = monitorLine.exec(line)?.groups ?? {};
    if (source === "") return;
    if (source !== "lua") caller = source;
    const words = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = ""]) => word);
    seen.push({ source: caller, sent: { command: command.toLowerCase(), words } });
    if (command.toLowerCase() === "echo") echoed.get(words[0] ?? "")?.();
  };
  const { password } = new URL(url);
  let socket: Socket;
  const listen = async () => {
    socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.on("data", linesOf(read));
    socket.on("error", () => undefined);
    socket.write(`${password === "" ? "" : `AUTH ${password}\r\n`}MONITOR\r\n`);
    await once(socket, "data");
  };
  await listen();
  return {
    url: door.url,
    restart: async () => {
      socket.destroy();
      await listen();
    },
    async read() {
      const mark = crypto.randomUUID();
      const arrived = new Promise<void>((resolve) => echoed.set(mark, resolve));
      await cli("ECHO", mark);
      await arrived;
      const byUser = new Map<string, Sent[]>();
      for (const [at, { source, sent }] of seen.entries()) {
        const user = door.users.get(source)?.findLast(({ from }) => from <= at)?.user;
        if (user === undefined) continue;
        const all = byUser.get(user) ?? [];
        byUser.set(user, all);
        all.push(sent);
      }
      return byUser;
    },
    [Symbol.dispose]: () => {
      socket.destroy();
      door[Symbol.dispose]();
    },
  };
}

/**
 * `from`: how much had been seen before. A busy machine gives the port of a connection that has
 * ended to another one, of another user.
 */
type Login = { user: string; from: number };

/**
 * Redis does not show who logs in, and a connection may be over before Redis can be asked: so each
 * is noted as it logs in.
 */
async function openDoor(
  port: number,
  now: () => number,
): Promise<Disposable & { url: string; users: ReadonlyMap<string, readonly Login[]> }> {
  const users = new Map<string, Login[]>();
  const server = createServer((client) => {
    const redis = connect(port, "127.0.0.1");
    const begun = once(client, "data");
    const isConnected = once(redis, "connect");
    Promise.all([begun, isConnected]).then(
      ([[first]]) => {
        const source = `127.0.0.1:${redis.localPort}`;
        const user = authenticated.exec(String(first))?.groups?.user ?? "default";
        users.set(source, [...(users.get(source) ?? []), { user, from: now() }]);
      },
      () => undefined,
    );
    for (const [from, to] of [
      [client, redis],
      [redis, client],
    ] as const) {
      from.on("error", () => undefined);
      from.on("close", () => to.destroy());
      from.pipe(to);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = server.address() as AddressInfo;
  return { url: `redis://127.0.0.1:${own}`, users, [Symbol.dispose]: () => void server.close() };
}

function linesOf(read: (line: string) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let begun = "";
  return (chunk) => {
    const [first = "", ...lines] = decoder.decode(chunk, { stream: true }).split("\r\n");
    begun += first.slice(0, readOfLine - begun.length);
    for (const line of lines) {
      read(begun);
      begun = line.slice(0, readOfLine);
    }
  };
}

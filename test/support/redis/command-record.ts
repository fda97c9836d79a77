// What each user of a Redis has sent to it, and what functions have run for that user: from Redis' own MONITOR.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createClient } from "redis";
import type { RedisServer } from "./redis-server.ts";

/** `words`: what follows the command, as far as the beginning of its line has it. */
export type Sent = { command: string; words: string[] };

export type CommandRecord = Disposable & {
  /** Asks Redis whose the present connections are. It is also asked at the first command of each; one that ends at once may be left out. */
  identify(): Promise<void>;
  /** Where the test has ended every connection. What is sent meanwhile is left out. */
  restart(): Promise<void>;
  /** By user. */
  read(): Promise<ReadonlyMap<string, readonly Sent[]>>;
};

/** `[0 127.0.0.1:4711] "GET" "key"`, or `[0 lua] …` for what a function runs, which follows its call. */
const monitorLine = /^\+?[\d.]+ \[\d+ (?<source>[^\]]+)\] "(?<command>[^"]*)"(?<rest>.*)$/;

/** Payloads can be long, and are not read. */
const readOfLine = 2_000;

export async function recordCommands({ port, url, cli }: Pick<RedisServer, "port" | "url" | "cli">): Promise<CommandRecord> {
  const users = new Map<string, string>();
  const seen: { source: string; sent: Sent }[] = [];
  const echoed = new Map<string, () => void>();
  let caller = "";
  // A program of its own would be too slow for a connection that ends soon.
  const asker = createClient({ url });
  asker.on("error", () => undefined);
  await asker.connect();
  const ask = async () => {
    const list = String(await asker.sendCommand(["CLIENT", "LIST"]));
    for (const [, address = "", user = ""] of list.matchAll(/ addr=(\S+) .* user=(\S+)/g)) users.set(address, user);
  };
  let [isAsking, isDue] = [false, false];
  /** A connection that is newer than the question is in no answer to it. */
  const identify = async () => {
    isDue = true;
    if (isAsking) return;
    isAsking = true;
    while (isDue) {
      isDue = false;
      await ask().catch(() => undefined);
    }
    isAsking = false;
  };
  const read = (line: string) => {
    const { source = "", command = "", rest = "" } = monitorLine.exec(line)?.groups ?? {};
    if (source === "") return;
    if (source !== "lua") caller = source;
    if (!users.has(caller)) void identify();
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
    identify: ask,
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
      for (const { source, sent } of seen) {
        const user = users.get(source);
        if (user === undefined) continue;
        const all = byUser.get(user) ?? [];
        byUser.set(user, all);
        all.push(sent);
      }
      return byUser;
    },
    [Symbol.dispose]: () => {
      socket.destroy();
      asker.destroy();
    },
  };
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

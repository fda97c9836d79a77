// A hostile command's own program, which goes on in its agent's container while its command runs.
// It takes orders from the test over TCP, and carries them out as if it had broken into the cub:
// the test gives it the cub's user of Redis, which no command can find. The cub's binary runs it,
// because that one is Bun.
import { readdirSync, readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

export const intruderPort = 7007;

/**
 * `as`: another user than the agent's. Commands go over one new connection, in order, unless the
 * order says more.
 */
export type Order =
  | { send: readonly (readonly string[])[]; as?: { user: string; password: string } }
  /** The environment of every process that it can see, in one text. */
  | { environments: true }
  /** The same command again and again, without waiting for answers. */
  | { flood: readonly string[]; times: number }
  /** The command with a last word of so many bytes. */
  | { large: readonly string[]; bytes: number }
  /** Connections that stay open until `leave`; the answer is how many of them Redis serves. */
  | { connections: number }
  | { leave: true };

export type Reply = string | number | null | Reply[] | { refused: string };
/** `closed`: Redis ended the connection. */
export type Outcome = { replies: Reply[]; closed?: true } | { text: string } | { served: number };

type Address = { path: string; user: string; password: string };

let redisUrl = "";

function address(): Address {
  const { pathname, username, password } = new URL(redisUrl);
  return { path: pathname, user: username, password };
}

function environment(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch (error) {
    return `${pid}: ${error}`;
  }
}

function environments(): string {
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  return pids.map(environment).join("\n");
}

const encode = (words: readonly string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;

/** The first reply in `bytes`, and where it ends; undefined while it is not complete. */
function parse(bytes: Buffer, from: number): [Reply, number] | undefined {
  const end = bytes.indexOf("\r\n", from);
  if (end === -1) return undefined;
  const [kind, line] = [
    String.fromCharCode(bytes[from] ?? 0),
    bytes.toString("utf8", from + 1, end),
  ];
  if (kind === "-") return [{ refused: line }, end + 2];
  if (kind === ":") return [Number(line), end + 2];
  if (kind === "+") return [line, end + 2];
  const size = Number(line);
  if (size < 0) return [null, end + 2];
  if (kind === "$") {
    const after = end + 2 + size;
    return bytes.length < after + 2
      ? undefined
      : [bytes.toString("utf8", end + 2, after), after + 2];
  }
  const items: Reply[] = [];
  let at = end + 2;
  while (items.length < size) {
    const item = parse(bytes, at);
    if (item === undefined) return undefined;
    items.push(item[0]);
    at = item[1];
  }
  return [items, at];
}

/** Resolves with `count` replies, or with those that came before Redis closed the connection. */
function replies(socket: Socket, count: number): Promise<{ replies: Reply[]; closed?: true }> {
  const all: Reply[] = [];
  let rest = Buffer.alloc(0);
  return new Promise((resolve) => {
    const read = (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      let at = 0;
      for (
        let next = parse(rest, at);
        next !== undefined && all.length < count;
        next = parse(rest, at)
      ) {
        all.push(next[0]);
        at = next[1];
      }
      rest = rest.subarray(at);
      if (all.length < count) return;
      socket.off("data", read);
      resolve({ replies: all });
    };
    socket.on("data", read);
    socket.once("close", () => resolve({ replies: all, closed: true }));
  });
}

async function open(as?: { user: string; password: string }): Promise<Socket> {
  const { path, ...own } = address();
  const { user, password } = as ?? own;
  const socket = connect(path);
  // What follows is `closed`.
  socket.on("error", () => undefined);
  socket.write(encode(["AUTH", user, password]));
  const { replies: answers, closed } = await replies(socket, 1);
  if (as === undefined && answers[0] !== "OK")
    throw new Error(closed ? "closed" : JSON.stringify(answers));
  return socket;
}

const left: Socket[] = [];
const wave = 200;

async function carryOut(order: Order): Promise<Outcome> {
  if ("environments" in order) return { text: environments() };
  if ("leave" in order) {
    for (const socket of left.splice(0)) socket.destroy();
    return { text: "" };
  }
  if ("connections" in order) return { served: await occupy(order.connections) };
  const socket = await open("send" in order ? order.as : undefined);
  try {
    if ("send" in order) {
      socket.write(order.send.map(encode).join(""));
      return await replies(socket, order.send.length);
    }
    if ("large" in order) return await sendLarge(socket, order);
    const { flood, times } = order;
    const done = replies(socket, times);
    const batch = 1_000;
    for (let sent = 0; sent < times && !socket.destroyed; sent += batch)
      await write(socket, encode(flood).repeat(Math.min(batch, times - sent)));
    return summary(await done);
  } finally {
    socket.destroy();
  }
}

/** Keeps each kind of very many replies once. */
function summary({ replies: all, closed }: { replies: Reply[]; closed?: true }): Outcome {
  const kinds = new Set(
    all.map((reply) => (typeof reply === "object" ? JSON.stringify(reply) : "taken")),
  );
  return { replies: [all.length, ...kinds], ...(closed && { closed }) };
}

async function sendLarge(
  socket: Socket,
  { large, bytes }: { large: readonly string[]; bytes: number },
): Promise<Outcome> {
  const done = replies(socket, 1);
  const begin = encode([...large, ""]).slice(0, -"$0\r\n\r\n".length);
  await write(socket, `${begin}$${bytes}\r\n`);
  const piece = "x".repeat(1 << 20);
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += piece.length)
    await write(socket, piece.slice(0, bytes - sent));
  await write(socket, "\r\n");
  return summary(await done);
}

/** Resolves when the words are on their way, or the connection is closed. */
async function write(socket: Socket, text: string): Promise<void> {
  if (socket.destroyed || socket.write(text)) return;
  await new Promise<void>((resolve) => {
    socket.once("drain", resolve);
    socket.once("close", () => resolve());
  });
}

/** In waves, because a socket takes only so many connections that Redis has not accepted yet. */
async function occupy(count: number): Promise<number> {
  for (let tried = 0; tried < count; tried += wave) {
    const opened = Array.from({ length: Math.min(wave, count - tried) }, () =>
      open().then(
        (socket) => left.push(socket),
        () => undefined,
      ),
    );
    await Promise.all(opened);
  }
  return left.length;
}

if (import.meta.main) {
  createServer((peer) => {
    createInterface(peer).on("line", async (line) => {
      const { redis, ...order } = JSON.parse(line);
      redisUrl = redis;
      const outcome = await carryOut(order).catch((error: unknown) => ({ text: String(error) }));
      peer.write(`${JSON.stringify(outcome)}\n`);
    });
  }).listen(intruderPort);
}

// Serves HTTP where a command of an agent can open any number of connections: on the loopback of
// the cub's own container.
//
// Each connection is a file that the cub has open, and a cub that may open no more ends. Bun's
// server has no limit of them, so this one reads HTTP from sockets that it counts. When there are
// too many, the one that has waited longest without a whole request is closed. A connection has one
// request; a stream ends with its client.
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type Address, type Fetch, portUnusable, type Server } from "./serve.ts";

/** `most`: connections at the same time. `maxBodyBytes`: 0 where no body is read. */
export type Few = Pick<Address, "port" | "hostname" | "name" | "hint"> & {
  most: number;
  maxBodyBytes: number;
};

/** A whole request needs milliseconds from a program of the same container. */
const headMs = 10_000;
/** A client reads an answer in this time. */
const lingerMs = 500;
const maxHeadBytes = 64 * 1024;
const endOfHead = Buffer.from("\r\n\r\n");

/** Throws `port-unusable`, as `serve` does. */
export async function serveFew(address: Few, answer: Fetch): Promise<Server> {
  const { port, hostname, most } = address;
  const waiting = new Set<Socket>();
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    if (open.size >= most) [...waiting].at(0)?.destroy();
    if (open.size >= most) return void socket.destroy();
    open.add(socket);
    waiting.add(socket);
    socket.once("close", () => [open, waiting].map((each) => each.delete(socket)));
    socket.on("error", () => undefined);
    const timer = setTimeout(() => socket.destroy(), headMs).unref();
    const onWhole = () => {
      clearTimeout(timer);
      waiting.delete(socket);
    };
    serveOne(socket, address, answer, onWhole).catch(() => socket.destroy());
  });
  server.listen(port, hostname);
  try {
    await once(server, "listening");
  } catch (cause) {
    throw portUnusable(address, cause);
  }
  return {
    port: (server.address() as AddressInfo).port,
    stop: async (graceMs = 0) => {
      const ended = new Promise<void>((resolve) => void server.close(() => resolve()));
      const timer = setTimeout(() => open.forEach((socket) => void socket.destroy()), graceMs);
      waiting.forEach((socket) => void socket.destroy());
      await ended;
      clearTimeout(timer);
    },
    unref: () => server.unref(),
  };
}

async function serveOne(
  socket: Socket,
  { maxBodyBytes }: Few,
  answer: Fetch,
  onWhole: () => void,
): Promise<void> {
  const gone = new AbortController();
  socket.once("close", () => gone.abort());
  const input = new Input(socket);
  const head = await input.until(endOfHead, maxHeadBytes);
  const request = head && requestOf(head.toString("latin1"));
  if (request === undefined) {
    input.drop();
    return await write(socket, new Response(null, { status: 400 }));
  }
  if (request.init.headers.get("expect") === "100-continue" && maxBodyBytes > 0)
    socket.write("HTTP/1.1 100 Continue\r\n\r\n");
  const body =
    maxBodyBytes === 0 ? undefined : await bodyOf(input, request.init.headers, maxBodyBytes);
  onWhole();
  input.drop();
  if (body === "too large") return await write(socket, new Response(null, { status: 413 }));
  const { url, init } = request;
  const content = body === undefined || body.length === 0 ? {} : { body };
  const isHead = init.method === "HEAD";
  const response = await answer(new Request(url, { ...init, ...content, signal: gone.signal }));
  await write(socket, isHead ? new Response(null, response) : response);
}

/**
 * The bytes that have come on a connection, in order. What is read is copied once, however it has
 * come.
 */
class Input {
  #parts: Buffer[] = [];
  #isOver = false;
  #isDropped = false;
  #onMore: () => void = () => undefined;

  constructor(socket: Socket) {
    socket.on("data", (part: Buffer) => {
      if (this.#isDropped) return;
      this.#parts.push(part);
      this.#onMore();
    });
    socket.once("close", () => {
      this.#isOver = true;
      this.#onMore();
    });
  }

  /** The rest is read, so that the end of the connection is seen, and not kept. */
  drop(): void {
    this.#isDropped = true;
    this.#parts = [];
  }

  /** Without the mark, which it takes as well; undefined for more than `most` bytes, or an end. */
  async until(mark: Buffer, most: number): Promise<Buffer | undefined> {
    for (;;) {
      const [first, ...others] = this.#parts;
      const bytes = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#parts);
      const at = bytes.indexOf(mark);
      this.#parts = [at < 0 ? bytes : bytes.subarray(at + mark.length)];
      if (at >= 0) return at <= most ? bytes.subarray(0, at) : undefined;
      if (bytes.length > most || this.#isOver) return undefined;
      await this.#more();
    }
  }

  /** As many bytes as there are in `target`. Throws where the connection ends before. */
  async fill(target: Buffer): Promise<void> {
    for (let done = 0; done < target.length; ) {
      const first = this.#parts.shift();
      if (first === undefined) {
        if (this.#isOver) throw new Error("The connection has ended.");
        await this.#more();
        continue;
      }
      const count = first.copy(target, done);
      done += count;
      if (count < first.length) this.#parts.unshift(first.subarray(count));
    }
  }

  async #more(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onMore = resolve;
    });
  }
}

type Read = { url: string; init: { method: string; headers: Headers } };

/** Undefined where it is no request of HTTP/1. */
function requestOf(head: string): Read | undefined {
  const [first = "", ...lines] = head.split("\r\n");
  const [, method, target] = /^([A-Z]+) (\/\S*) HTTP\/1\.[01]$/.exec(first) ?? [];
  if (method === undefined || target === undefined) return undefined;
  const headers = new Headers();
  try {
    for (const line of lines) {
      const [, name, value] = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
      if (name === undefined || value === undefined) return undefined;
      headers.append(name, value);
    }
    return { url: new URL(target, "http://localhost").href, init: { method, headers } };
  } catch {
    return undefined;
  }
}

async function bodyOf(
  input: Input,
  headers: Headers,
  most: number,
): Promise<Buffer<ArrayBuffer> | "too large" | undefined> {
  if (/chunked/i.test(headers.get("transfer-encoding") ?? ""))
    return await chunkedBody(input, most);
  const length = Number(headers.get("content-length") ?? 0);
  if (!Number.isSafeInteger(length) || length < 0 || length > most) return "too large";
  if (length === 0) return undefined;
  const body = Buffer.alloc(length);
  await input.fill(body);
  return body;
}

/** A client may send each byte as a chunk: none of them costs more than its bytes. */
async function chunkedBody(input: Input, most: number): Promise<Buffer<ArrayBuffer> | "too large"> {
  const endOfLine = Buffer.from("\r\n");
  let body = Buffer.alloc(0);
  for (let bytes = 0; ; ) {
    const line = (await input.until(endOfLine, maxHeadBytes))?.toString("latin1") ?? "";
    const size = /^[0-9a-f]{1,8}(?=[;\s]|$)/i.test(line) ? Number.parseInt(line, 16) : undefined;
    if (size === undefined) throw new Error("The body is not in chunks.");
    if (size === 0) return body.subarray(0, bytes);
    const end = bytes + size;
    if (end > most) return "too large";
    if (end > body.length) {
      const larger = Buffer.alloc(Math.min(most, Math.max(end, 2 * body.length)));
      body.copy(larger, 0, 0, bytes);
      body = larger;
    }
    await input.fill(body.subarray(bytes, end));
    await input.fill(Buffer.alloc(endOfLine.length));
    bytes = end;
  }
}

/** Ends the connection behind the answer, and in the middle of it where its stream fails. */
async function write(socket: Socket, response: Response): Promise<void> {
  const { status, statusText, headers, body } = response;
  const lines = [...headers].flatMap(([name, value]) =>
    /^(?:connection|content-length|transfer-encoding)$/.test(name) ? [] : [`${name}: ${value}`],
  );
  const length = body === null ? "content-length: 0" : "transfer-encoding: chunked";
  const first = `HTTP/1.1 ${status} ${statusText}`;
  socket.write([first, ...lines, length, "connection: close", "", ""].join("\r\n"));
  for await (const part of body ?? []) {
    if (part.length === 0) continue;
    socket.write(`${part.length.toString(16)}\r\n`);
    socket.write(part);
    if (!socket.write("\r\n")) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    if (socket.destroyed) return;
  }
  // A client that goes on sending would otherwise keep the connection, or lose the answer.
  socket.end(body === null ? "" : "0\r\n\r\n", () => {
    setTimeout(() => socket.destroy(), lingerMs).unref();
  });
}

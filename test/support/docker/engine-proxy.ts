// A proxy before the Engine's socket that can refuse all but some requests, as people put one
// before an Engine that they do not trust to others.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request } from "node:http";
import { connect, createServer as createFront, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type EngineProxy = AsyncDisposable & {
  readonly path: string;
  /** Lets only these pass from now on, as `METHOD /path` without the version of the API. */
  allowOnly(patterns: readonly RegExp[]): void;
  /** Holds what was asked for since then, and whether it passed. */
  readonly requests: { line: string; passed: boolean }[];
  /** Gives these the beginning of an answer from now on, and no more. */
  hangOn(patterns: readonly RegExp[]): void;
  /**
   * The n-th request from now on meets this fault, once; 0: none. `kind`: of those that are like
   * this.
   */
  failOn(nth: number, fault: Fault, kind?: RegExp): void;
  /**
   * Cuts the connections over which commands in containers read and write, on both sides, and
   * returns their number.
   */
  cutStreams(): number;
  /** Resolves when that request has come. */
  failed(): Promise<void>;
};

/**
 * An answer of 500 or 403, a connection that ends without one or in the middle of one that the
 * Engine has given, and one that stays open without one.
 */
export const faults = ["error", "refuse", "cut", "lose", "hold"] as const;
/** `delay`: the request goes on after a moment. `stuck`: each request from then on is held. */
export type Fault = (typeof faults)[number] | "delay" | "stuck";

const delayMs = 1_500;

/** A connection has one request, which may be for the connection itself. */
const oneAnswer = { "content-type": "application/json", connection: "close" };
const refusal = '{"message":"a fault of the proxy"}';
const statusOf = { error: 500, refuse: 403 } as const;
const engine = (process.env.DOCKER_HOST ?? "").replace(/^unix:\/\//, "") || "/var/run/docker.sock";

export async function startEngineProxy(): Promise<EngineProxy> {
  const folder = await mkdtemp(join(tmpdir(), "sett-engine-proxy-"));
  const path = join(folder, "docker.sock");
  const requests: EngineProxy["requests"] = [];
  let patterns: readonly RegExp[] | undefined;
  let hanging: readonly RegExp[] = [];
  let left = 0;
  let fault: Fault = "error";
  let isStuck = false;
  let kind = /./;
  let fails = Promise.withResolvers<void>();
  const streams = new Set<[Socket, Socket]>();
  const faultNow = (line: string): Fault | undefined => {
    if (isStuck) return fault;
    if (!kind.test(line)) return undefined;
    left -= 1;
    if (left !== 0) return undefined;
    isStuck = fault === "stuck";
    fails.resolve();
    return fault;
  };
  const passes = (line: string) => {
    if (patterns === undefined) return true;
    const passed = patterns.some((pattern) => pattern.test(line));
    requests.push({ line, passed });
    return passed;
  };
  const server = createServer((incoming, answer) => {
    const line = lineOf(incoming);
    if (!passes(line)) {
      answer.writeHead(403, oneAnswer).end('{"message":"refused by the proxy"}');
      return;
    }
    const fault = faultNow(line);
    if (fault === "cut") return void incoming.socket.destroy();
    if (fault === "hold" || fault === "stuck") return;
    if (fault === "error" || fault === "refuse") {
      answer.writeHead(statusOf[fault], oneAnswer).end(refusal);
      return;
    }
    const { method, url, headers } = incoming;
    if (hanging.some((pattern) => pattern.test(line))) {
      answer.writeHead(200, oneAnswer).write("{");
      return;
    }
    const forwarded = request({ socketPath: engine, method, path: url, headers }, (received) => {
      answer.writeHead(received.statusCode ?? 502, { ...received.headers, connection: "close" });
      if (fault === "lose") {
        answer.flushHeaders();
        received.resume().on("end", () => incoming.socket.destroy());
        return;
      }
      received.pipe(answer);
    });
    forwarded.on("error", () => answer.destroy());
    answer.on("close", () => forwarded.destroy());
    if (fault === "delay") setTimeout(() => incoming.pipe(forwarded), delayMs);
    else incoming.pipe(forwarded);
  });
  // A command in a container speaks over the connection itself.
  const takeOver = (client: Socket, head: string, first: Buffer) => {
    const [method = "", url = ""] = head.split(" ");
    const line = lineOf({ method, url });
    if (!passes(line)) return void client.destroy();
    const fault = faultNow(line);
    if (fault === "cut") return void client.destroy();
    if (fault === "hold" || fault === "stuck") return;
    if (fault === "error" || fault === "refuse")
      return void client.end(
        `HTTP/1.1 ${statusOf[fault]} Fault\r\nContent-Length: ${refusal.length}\r\n\r\n${refusal}`,
      );
    const there = connect({ path: engine, allowHalfOpen: true });
    const stream: [Socket, Socket] = [client, there];
    streams.add(stream);
    client.on("close", () => streams.delete(stream));
    if (fault === "lose") there.once("data", () => client.destroy());
    const goOn = () => {
      there.write(first);
      bind(client, there);
    };
    if (fault === "delay") setTimeout(goOn, delayMs);
    else goOn();
  };
  // Bun's server would lose the body of a request for the connection itself: it gets none.
  const inner = join(folder, "inner.sock");
  const open = new Set<Socket>();
  const front = createFront({ allowHalfOpen: true }, (client) => {
    open.add(client);
    client.on("error", () => {}).on("close", () => open.delete(client));
    let first = Buffer.alloc(0);
    const read = (bytes: Buffer) => {
      first = Buffer.concat([first, bytes]);
      const [head, ...rest] = first.toString("latin1").split("\r\n\r\n");
      if (head === undefined || rest.length === 0) return;
      client.off("data", read);
      client.pause();
      if (/\r\nupgrade:/i.test(head)) return takeOver(client, head, first);
      const there = connect({ path: inner, allowHalfOpen: true });
      there.write(first);
      bind(client, there);
    };
    client.on("data", read);
  });
  await new Promise<void>((resolve) => server.listen(inner, resolve));
  await new Promise<void>((resolve) => front.listen(path, resolve));
  await chmod(path, 0o666);
  await chmod(folder, 0o755);
  return {
    path,
    requests,
    allowOnly: (some) => {
      patterns = some;
    },
    hangOn: (some) => {
      hanging = some;
    },
    failOn: (nth, what, among = /./) => {
      kind = among;
      left = nth;
      isStuck = false;
      fault = what;
      fails = Promise.withResolvers<void>();
    },
    cutStreams: () => {
      const cut = [...streams];
      for (const each of cut.flat()) each.destroy();
      return cut.length;
    },
    failed: () => fails.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      for (const each of open) each.destroy();
      server.close();
      front.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `METHOD /path` without the version of the API. */
function lineOf({ method = "", url = "" }: Pick<IncomingMessage, "method" | "url">): string {
  return `${method} ${url.replace(/^\/v[\d.]+/, "")}`;
}

/** Each side gets what the other sends, its end, and its loss. */
function bind(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on("error", () => to.destroy()).on("close", () => to.destroy());
  }
}

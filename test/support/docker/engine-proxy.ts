// A proxy before the Engine's socket that can refuse all but some requests, as people put one
// before an Engine that they do not trust to others.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";

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
  const streams = new Set<[Duplex, Duplex]>();
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
      answer
        .writeHead(403, { "content-type": "application/json" })
        .end('{"message":"refused by the proxy"}');
      return;
    }
    const fault = faultNow(line);
    if (fault === "cut") return void incoming.socket.destroy();
    if (fault === "hold" || fault === "stuck") return;
    if (fault === "error" || fault === "refuse") {
      answer.writeHead(statusOf[fault], { "content-type": "application/json" }).end(refusal);
      return;
    }
    const { method, url, headers } = incoming;
    if (hanging.some((pattern) => pattern.test(line))) {
      answer.writeHead(200, { "content-type": "application/json" }).write("{");
      return;
    }
    const forwarded = request({ socketPath: engine, method, path: url, headers }, (received) => {
      answer.writeHead(received.statusCode ?? 502, received.headers);
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
  server.on("upgrade", (incoming, client, first) => {
    const { method, url, rawHeaders } = incoming;
    const line = lineOf(incoming);
    if (!passes(line)) return void client.destroy();
    client.on("error", () => {});
    const fault = faultNow(line);
    if (fault === "cut") return void client.destroy();
    if (fault === "hold" || fault === "stuck") return;
    if (fault === "error" || fault === "refuse")
      return void client.end(
        `HTTP/1.1 ${statusOf[fault]} Fault\r\nContent-Length: ${refusal.length}\r\n\r\n${refusal}`,
      );
    const there = connect(engine);
    const stream: [Duplex, Duplex] = [client, there];
    streams.add(stream);
    client.on("close", () => streams.delete(stream));
    if (fault === "lose") there.once("data", () => client.destroy());
    const lines = rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}\r\n`] : [],
    );
    there.write(`${method} ${url} HTTP/1.1\r\n${lines.join("")}\r\n`);
    there.write(first);
    there.pipe(client);
    if (fault === "delay") setTimeout(() => client.pipe(there), delayMs);
    else client.pipe(there);
    for (const [one, other] of [
      [there, client],
      [client, there],
    ] as const)
      one.on("error", () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
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
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `METHOD /path` without the version of the API. */
function lineOf({ method = "", url = "" }: IncomingMessage): string {
  return `${method} ${url.replace(/^\/v[\d.]+/, "")}`;
}

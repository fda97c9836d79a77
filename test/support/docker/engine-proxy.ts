// A proxy before the Engine's socket that can refuse all but some requests, as people put one before an Engine that they do not trust to
// others.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type EngineProxy = AsyncDisposable & {
  readonly path: string;
  /** From now on only these pass, as `METHOD /path` without the version of the API. */
  allowOnly(patterns: readonly RegExp[]): void;
  /** What was asked for since then, and whether it passed. */
  readonly requests: { line: string; passed: boolean }[];
  /** From now on these get the beginning of an answer, and no more. */
  hangOn(patterns: readonly RegExp[]): void;
  /** The n-th request from now on meets this fault, once; 0: none. */
  failOn(nth: number, fault: Fault): void;
  /** Resolves when that request has come. */
  failed(): Promise<void>;
};

/** An answer of 500 or 403, a connection that ends without one, and one that stays open without one. */
export const faults = ["error", "refuse", "cut", "hold"] as const;
export type Fault = (typeof faults)[number];

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
  let fails = Promise.withResolvers<void>();
  const faultNow = (): Fault | undefined => {
    left -= 1;
    if (left !== 0) return undefined;
    fails.resolve();
    return fault;
  };
  const passes = (method: string, url: string) => {
    const line = `${method} ${url.replace(/^\/v[\d.]+/, "")}`;
    if (patterns === undefined) return true;
    const passed = patterns.some((pattern) => pattern.test(line));
    requests.push({ line, passed });
    return passed;
  };
  const server = createServer((incoming, answer) => {
    if (!passes(incoming.method ?? "", incoming.url ?? "")) {
      answer.writeHead(403, { "content-type": "application/json" }).end('{"message":"refused by the proxy"}');
      return;
    }
    const fault = faultNow();
    if (fault === "cut") return void incoming.socket.destroy();
    if (fault === "hold") return;
    if (fault !== undefined) {
      answer.writeHead(statusOf[fault], { "content-type": "application/json" }).end('{"message":"a fault of the proxy"}');
      return;
    }
    const { method, url, headers } = incoming;
    if (hanging.some((pattern) => pattern.test(`${method} ${url?.replace(/^\/v[\d.]+/, "")}`))) {
      answer.writeHead(200, { "content-type": "application/json" }).write("{");
      return;
    }
    const forwarded = request({ socketPath: engine, method, path: url, headers }, (received) => {
      answer.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(answer);
    });
    forwarded.on("error", () => answer.destroy());
    answer.on("close", () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  // A command in a container speaks over the connection itself.
  server.on("upgrade", ({ method, url, rawHeaders }, client, first) => {
    if (!passes(method ?? "", url ?? "")) return void client.destroy();
    client.on("error", () => {});
    const fault = faultNow();
    if (fault === "cut") return void client.destroy();
    if (fault === "hold") return;
    if (fault !== undefined) return void client.end(`HTTP/1.1 ${statusOf[fault]} Fault\r\nContent-Length: 2\r\n\r\n{}`);
    const there = connect(engine);
    const lines = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}\r\n`] : []));
    there.write(`${method} ${url} HTTP/1.1\r\n${lines.join("")}\r\n`);
    there.write(first);
    there.pipe(client);
    client.pipe(there);
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
    failOn: (nth, what) => {
      left = nth;
      fault = what;
      fails = Promise.withResolvers<void>();
    },
    failed: () => fails.promise,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

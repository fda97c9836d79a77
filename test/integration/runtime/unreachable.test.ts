import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InstanceName } from "../../../lib/model/ids.ts";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import { errorOf } from "../../support/error-of.ts";
import { makeCertificate } from "../../support/http/make-certificate.ts";

/**
 * An engine that answers every connection with `bytes` and hangs up: what is left of one that is
 * killed meanwhile.
 */
async function dyingEngine(bytes: string): Promise<AsyncDisposable & { socketPath: string }> {
  const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
  const socketPath = join(folder, "docker.sock");
  const hangUp = (socket: Socket): void => {
    socket.on("error", () => {});
    socket.once("data", () =>
      bytes === "" ? undefined : socket.write(bytes, () => socket.destroy()),
    );
  };
  const server: Server = createServer(hangUp);
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    socketPath,
    async [Symbol.asyncDispose]() {
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** An engine that answers each question about itself so late. */
async function slowEngine(afterMs: number): Promise<AsyncDisposable & { socketPath: string }> {
  const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
  const socketPath = join(folder, "docker.sock");
  const info = { ServerVersion: "20.10.24", Architecture: "x86_64", NCPU: 1, MemTotal: 1 };
  const server = createHttpServer((_, answer) =>
    setTimeout(() => answer.end(JSON.stringify(info)), afterMs),
  );
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    socketPath,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The beginning of a chunked answer whose end never comes. */
function brokenAnswer(contentType: string, chunk: string): string {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${contentType}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  return `${head}${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`;
}

test("an engine that is not there is a docker-unreachable with a way out", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
  await writeFile(join(folder, "stale.sock"), "");
  for (const socketPath of [join(folder, "missing.sock"), join(folder, "stale.sock")]) {
    const runtime = await dockerRuntime({ socketPath });
    const failure = await runtime.observe.check().catch((error) => error);
    expect(failure).toMatchObject({ code: "docker-unreachable", exitCode: 1 });
    expect(failure.message).toStartWith("The Docker Engine does not answer: ");
    expect(failure.hint).toContain("Is dockerd running?");
    // A command may meet it at any of these, and says the same.
    const demo = InstanceName.parse("demo");
    const { observe, apply, workers, engine } = runtime;
    const labels = { instance: demo, workspace: "/w", version: "1" };
    const requests = [
      ...[observe.instances(), observe.parts(demo), observe.find("sett-demo-redis")],
      ...[Array.fromAsync(observe.logs("x")), observe.exec("x", ["true"]), observe.connect("x", 1)],
      ...[apply.stop("x", 1), apply.remove("x"), apply.startAgain("x"), apply.rename("x", "y")],
      apply.lock(demo, "a test"),
      apply.makeVolume({ name: "sett-demo-x", labels: { ...labels, component: "blackboard" } }),
      apply.createNetwork("sett-demo", { ...labels, component: "network" }),
      ...[apply.removeVolume("x"), apply.removeNetwork("x")],
      apply.removeInstance(demo, { blackboard: "keep" }),
      ...[workers.wait("x"), workers.remove("x"), workers.find("x")],
      ...[engine.images.find("x"), engine.images.untag("x"), engine.images.removeUnnamed("x")],
      engine.strangers(demo),
    ];
    for (const error of await Promise.all(requests.map(errorOf)))
      expect(error).toMatchObject({
        code: "docker-unreachable",
        message: failure.message,
        hint: failure.hint,
      });
    expect(failure.hint).toContain(`Tried: ${socketPath}`);
  }
  await rm(folder, { recursive: true, force: true });
});

test("an engine that answers says its version and architecture", async () => {
  const { version, architecture } = await (
    await dockerRuntime({ env: process.env })
  ).observe.check();
  expect(version).toMatch(/^\d+\.\d+/);
  expect(["amd64", "arm64"]).toContain(architecture);
});

test("an engine that takes the call and says nothing counts as unreachable", async () => {
  await using engine = await dyingEngine("");
  const runtime = await dockerRuntime({ socketPath: engine.socketPath, patienceMs: 100 });
  expect(await runtime.observe.check().catch((error) => error)).toMatchObject({
    code: "docker-unreachable",
  });
});

test("an engine behind a path of another server is asked below that path, as by docker", async () => {
  const paths: string[] = [];
  const info = { ServerVersion: "20.10.24", Architecture: "x86_64", NCPU: 1, MemTotal: 1 };
  const server = createHttpServer(({ url = "" }, answer) => {
    paths.push(url);
    answer.end(url === "/engines/a/info" ? JSON.stringify(info) : "[]");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const { DOCKER_HOST: before } = process.env;
  // dockerode reads it by itself.
  process.env.DOCKER_HOST = `tcp://127.0.0.1:${port}/engines/a/`;
  try {
    const runtime = await dockerRuntime({ env: process.env });
    expect(await runtime.observe.check()).toMatchObject({ version: "20.10.24" });
    expect(paths).toEqual(["/engines/a/info"]);
  } finally {
    // Undefined would become a word there, and the address of the files after this one.
    if (before === undefined) delete process.env.DOCKER_HOST;
    else process.env.DOCKER_HOST = before;
    server.closeAllConnections();
    server.close();
  }
});

test("an engine that needs more than five seconds for its answer is waited for, and named once", async () => {
  await using engine = await slowEngine(5_500);
  const said: string[] = [];
  const { observe } = await dockerRuntime({
    ...{ socketPath: engine.socketPath, onSlow: (sentence: string) => said.push(sentence) },
  });
  for (const answer of await Promise.all([observe.check(), observe.check()]))
    expect(answer).toMatchObject({ version: "20.10.24" });
  expect(said).toEqual(["The Docker Engine is slow: no answer for 5 s, and each may take 120 s."]);
}, 600_000);

test.each([
  [200, "<html>Hello</html>"],
  [200, '{"ok":true}'],
  [200, "null"],
  [404, "<html>No such page</html>"],
])("a server that answers %d and %j is said to be no engine, and where", async (status, body) => {
  const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
  const socketPath = join(folder, "docker.sock");
  const server = createHttpServer((_, answer) => answer.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  try {
    const runtime = await dockerRuntime({ env: { DOCKER_HOST: `unix://${socketPath}` } });
    expect(await runtime.observe.check().catch((error) => error)).toMatchObject({
      code: "docker-unreachable",
      message: "What answers there is no Docker Engine.",
      hint: expect.stringContaining(`Tried: ${socketPath} (by DOCKER_HOST).`),
    });
    if (status === 200)
      await expect(runtime.observe.instances()).rejects.toThrow(
        "What answers there is no Docker Engine.",
      );
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test("an Engine that takes TLS alone, and a port without TLS, are named as what they are", async () => {
  // Go's server of HTTPS gives this answer.
  const refusal = "Client sent an HTTP request to an HTTPS server.\n";
  const server = createHttpServer((_, answer) => answer.writeHead(400).end(refusal));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const host = `tcp://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
  await makeCertificate(folder, "IP:127.0.0.1", false);
  const failureOf = async (env: Record<string, string>) => {
    const { observe } = await dockerRuntime({ env: { DOCKER_HOST: host, ...env } });
    return await observe.instances().catch((error: unknown) => error);
  };
  try {
    expect(await failureOf({})).toMatchObject({
      code: "docker-unreachable",
      message: "The Docker Engine at that port takes connections by TLS alone.",
      hint: expect.stringContaining("export DOCKER_TLS_VERIFY=1"),
    });
    const withTls = { DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: folder };
    expect(await failureOf(withTls)).toMatchObject({
      code: "docker-unreachable",
      message: expect.stringContaining("speaks no TLS"),
      hint: expect.stringContaining("port 2376"),
    });
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test.each(["SSH-2.0-OpenSSH_9.2\r\n", "\x15\x03\x01\0\x02\x02\x16", "HTTP/2 200\r\n\r\n"])(
  "a server that answers %j, which is no HTTP, is said to be no engine",
  async (bytes) => {
    await using engine = await dyingEngine(bytes);
    const runtime = await dockerRuntime({ socketPath: engine.socketPath });
    const requests = [runtime.observe.check(), runtime.observe.instances()];
    for (const error of await Promise.all(requests.map(errorOf)))
      expect(error).toMatchObject({
        code: "docker-unreachable",
        message: "What answers there is no Docker Engine.",
      });
  },
);

test.each(["/containers/json", "/networks", "/images/json", "/images/a:1/json"])(
  "a server that answers %s with an object of nothing is said to be no engine",
  async (path) => {
    const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
    const socketPath = join(folder, "docker.sock");
    const server = createHttpServer((request, answer) => {
      const place = (request.url ?? "").split("?")[0];
      answer.end(place === path || place === "/volumes" ? "{}" : "[]");
    });
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    const { engine } = await dockerRuntime({ socketPath });
    const demo = InstanceName.parse("demo");
    const asking = path.startsWith("/images/a")
      ? engine.images.find("a:1")
      : path === "/images/json"
        ? engine.images.removeBuilt(demo, { id: undefined, ids: [], begun: [] })
        : engine.strangers(demo);
    expect(await asking.catch((error: unknown) => error)).toMatchObject({
      code: "docker-unreachable",
      message: "What answers there is no Docker Engine.",
    });
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  },
);

test("an engine that redirects is not followed, and that is its failure", async () => {
  const elsewhere =
    "HTTP/1.1 301 Moved Permanently\r\nLocation: http://no-such-host.invalid/info\r\nContent-Length: 0\r\n\r\n";
  await using engine = await dyingEngine(elsewhere);
  const { observe, apply, workers } = await dockerRuntime({ socketPath: engine.socketPath });
  const requests = [observe.find("x"), apply.remove("x"), apply.stop("x", 1), workers.wait("x")];
  for (const error of await Promise.all(requests.map(errorOf)))
    expect(error).toMatchObject({
      code: "docker-failed",
      message: expect.stringContaining("The Engine sends the request elsewhere."),
    });
});

test("a log whose connection drops is an error, not an end", async () => {
  const message = "2026-01-01T00:00:00.000000000Z hello\n";
  const frame = `\x01\0\0\0\0\0\0${String.fromCharCode(message.length)}${message}`;
  await using engine = await dyingEngine(brokenAnswer("application/octet-stream", frame));
  const runtime = await dockerRuntime({ socketPath: engine.socketPath });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { line } of runtime.observe.logs("any", { follow: true })) seen.push(line);
  })();
  expect(await reading.catch((error) => error)).toMatchObject({ code: "docker-unreachable" });
  expect(seen).toEqual(["hello"]);
});

test("waiting for a container notices its end even when the engine's own wait never answers", async () => {
  const inspection = { State: { Status: "exited", ExitCode: 5, FinishedAt: "", OOMKilled: false } };
  const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
  const server = createHttpServer((request, response) => {
    if (request.url?.startsWith("/containers/any/json") === true)
      response.end(JSON.stringify(inspection));
  });
  await new Promise<void>((resolve) => server.listen(join(folder, "docker.sock"), resolve));
  const runtime = await dockerRuntime({ socketPath: join(folder, "docker.sock") });
  expect(await runtime.workers.wait("any")).toBe(5);
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
}, 600_000);

test("a pull whose connection drops is an error, not an end", async () => {
  await using engine = await dyingEngine(
    brokenAnswer("application/json", '{"status":"Pulling","id":"abc"}\n'),
  );
  const runtime = await dockerRuntime({ socketPath: engine.socketPath });
  const failure = await runtime.engine.images
    .pull("redis:7", { onProgress: () => {} })
    .catch((error) => error);
  expect(failure).toMatchObject({ code: "docker-unreachable" });
});

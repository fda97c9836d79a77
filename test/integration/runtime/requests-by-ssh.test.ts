// Requests to an Engine by a real ssh that ends: what was never sent is sent again, and nothing
// else. The Engine is a server that counts what comes.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { openEngine } from "../../../lib/runtime/docker/open-engine.ts";
import { canStartSsh, startSshServer } from "../../support/docker/ssh-server.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(600_000);

type Taken = { method: string | undefined; begin: string };

async function startEngine() {
  const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
  const socket = join(folder, "docker.sock");
  const requests: Taken[] = [];
  const server = createServer((request, response) => {
    const one: Taken = { method: request.method, begin: "" };
    requests.push(one);
    request.on("data", (piece: Uint8Array) => {
      one.begin = (one.begin + Buffer.from(piece).toString()).slice(0, 5);
    });
    request.on("error", () => undefined);
    request.on("end", () => response.setHeader("content-type", "application/json").end("[]"));
  });
  server.listen(socket);
  await once(server, "listening");
  const there = await startSshServer("unix:///nowhere");
  const host = `ssh://root@build${socket}`;
  const docker = await openEngine({ kind: "ssh", host, by: "a test", tried: [] }, there.env);
  await docker.listContainers();
  return {
    docker,
    requests,
    there,
    [Symbol.asyncDispose]: async () => {
      await there.cut();
      await there[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

const body = (...pieces: string[]) => Readable.from(pieces.map((piece) => Buffer.from(piece)));

describe.skipIf(!canStartSsh)("when its ssh has ended", () => {
  test("many requests at once open one way anew, and a body is sent from its beginning", async () => {
    await using at = await startEngine();
    await at.there.cut();
    const files = at.docker.getContainer("one").putArchive(body("begin", "end"), { path: "/" });
    const lists = Array.from({ length: 12 }, () => at.docker.listContainers());
    await Promise.allSettled([files, ...lists]);
    expect(await at.docker.listContainers()).toEqual([]);
    expect(await at.there.connections()).toBe(2);
    const sent = at.requests.filter(({ method }) => method === "PUT");
    expect(sent.every(({ begin }) => begin === "begin")).toBe(true);
    expect(sent.length).toBeLessThanOrEqual(1);
  });

  test("a body that was read before is not sent without its beginning", async () => {
    await using at = await startEngine();
    const half = body("begin", "end");
    await once(half, "readable");
    half.read();
    await at.there.cut();
    const container = at.docker.getContainer("one");
    const answers = await Promise.allSettled([
      at.docker.listContainers(),
      container.putArchive(half, { path: "/" }),
    ]);
    expect(answers[1]?.status).toBe("rejected");
    expect(at.requests.filter(({ method }) => method === "PUT")).toEqual([]);
  });
});

describe.skipIf(!canStartSsh)("when its ssh goes on", () => {
  test("a request whose body breaks off is not sent again, and needs no other way", async () => {
    await using at = await startEngine();
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from("begin");
        await waitFor("its beginning", () => at.requests.some(({ begin }) => begin === "begin"));
        throw Object.assign(new Error("gone"), { code: "ENOENT", syscall: "open" });
      })(),
    );
    const sent = at.docker.getContainer("one").putArchive(broken, { path: "/" });
    await expect(sent).rejects.toThrow("gone");
    expect(await at.docker.listContainers()).toEqual([]);
    expect(at.requests.filter(({ method }) => method === "PUT")).toHaveLength(1);
    expect(await at.there.connections()).toBe(1);
  });
});

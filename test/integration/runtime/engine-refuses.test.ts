// No call to the Engine waits for ever, and no lock is left, where the Engine refuses, cuts or holds what it is asked.
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { InstanceName } from "../../../lib/model/ids.ts";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import { lockName } from "../../../lib/runtime/names.ts";
import { type Fault, faults, startEngineProxy } from "../../support/docker/engine-proxy.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(120_000);

const newName = () => InstanceName.parse(`lock-${crypto.randomUUID().slice(0, 8)}`);
const containersNamed = async (name: string) => (await $`docker ps --all --quiet --filter name=${name}`.text()).trim();

test.each(faults)(
  "a lock whose n-th request meets the fault `%s` is acquired or fails, and is not left",
  async (fault: Fault) => {
    await using proxy = await startEngineProxy();
    const runtime = await dockerRuntime({ socketPath: proxy.path, patienceMs: 1_500 });
    const outcomes: string[] = [];
    for (let nth = 1; nth <= 7; nth += 1) {
      const instance = newName();
      proxy.failOn(nth, fault);
      try {
        const lock = await runtime.lock(instance, "a test");
        if (lock.outcome === "taken") throw new Error("no other process asks for it");
        outcomes.push("held");
        await lock[Symbol.asyncDispose]();
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^docker-/), message: expect.stringMatching(/Docker/) });
        outcomes.push("refused");
      }
      proxy.failOn(0, fault);
      await waitFor("the end of the lock", async () => (await containersNamed(lockName(instance))) === "");
    }
    expect(outcomes).toContain("refused");
    // The sweep went past the last request.
    expect(outcomes.at(-1)).toBe("held");
  },
);

test("a lock that the Engine does not give ends with its signal, and is not left", async () => {
  await using proxy = await startEngineProxy();
  const runtime = await dockerRuntime({ socketPath: proxy.path });
  const instance = newName();
  for (const nth of [4, 5]) {
    proxy.failOn(nth, "hold");
    const stop = new AbortController();
    const lock = runtime.lock(instance, "a test", stop.signal).catch((error: unknown) => error);
    await proxy.failed();
    stop.abort();
    expect(await lock).toMatchObject({ code: "interrupted" });
    expect(await containersNamed(lockName(instance))).toBe("");
  }
});

test("Podman is named as what it is, and is not supported", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-podman-"));
  const socketPath = join(folder, "podman.sock");
  // As Podman 4.3 answers: Docker's fields, and some of its own.
  const info = { ServerVersion: "4.3.1", BuildahVersion: "1.28.2", Architecture: "amd64", NCPU: 1, MemTotal: 1, Rootless: true };
  const server = createHttpServer((_, answer) => answer.end(JSON.stringify(info)));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  expect(await (await dockerRuntime({ socketPath })).check().catch((error: unknown) => error)).toMatchObject({
    code: "docker-unreachable",
    message: expect.stringContaining("This is Podman 4.3.1, which Sett does not support"),
  });
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

// The lock of an instance on a Docker Engine, which everybody meets who uses that Engine, from
// whatever folder, user or container.
import { expect, setDefaultTimeout, test } from "bun:test";
import process from "node:process";
import { Duplex } from "node:stream";
import { $ } from "bun";
import Docker from "dockerode";
import { aborted } from "../../../lib/async/sleep.ts";
import { acquireLock } from "../../../lib/runtime/docker/lock.ts";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import { lockName } from "../../../lib/runtime/names.ts";
import type { HeldLock, Lock } from "../../../lib/runtime/port.ts";
import { dockerInstance } from "../../support/docker/docker-instance.ts";
import { startEngineProxy } from "../../support/docker/engine-proxy.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(600_000);

function disposable(lock: Lock): HeldLock {
  if (lock.outcome === "taken") throw new Error(`It is taken by ${lock.by}.`);
  return lock;
}

test("has one holder at a time, whom others learn, and leaves nothing when it is released", async () => {
  await using bench = await dockerInstance();
  const { runtime, instance } = bench;
  {
    await using _held = disposable(await runtime.apply.lock(instance, "Ada"));
    expect(await runtime.apply.lock(instance, "Bob")).toEqual({ outcome: "taken", by: "Ada" });
  }
  expect(await containers(lockName(instance))).toBe("");
  await using _again = disposable(await runtime.apply.lock(instance, "Bob"));
});

test("of many who ask at once one gets it", async () => {
  await using bench = await dockerInstance();
  const locks = await Promise.all(
    ["a", "b", "c", "d"].map((who) => bench.runtime.apply.lock(bench.instance, who)),
  );
  const won = locks.filter((lock) => lock.outcome === "held");
  expect(won).toHaveLength(1);
  await won[0]?.[Symbol.asyncDispose]();
});

test("is free when its holder was killed, and when one was killed before it held it", async () => {
  await using bench = await dockerInstance();
  const { runtime, instance } = bench;
  const script = `
    const { dockerRuntime } = await import(${JSON.stringify(require.resolve("../../../lib/runtime/docker/runtime.ts"))});
    await (await dockerRuntime({ env: process.env })).apply.lock(${JSON.stringify(instance)}, "the killed one");
    console.log("held");
    await new Promise(() => {});`;
  const holder = Bun.spawn([process.execPath, "-e", script], {
    stdout: "pipe",
    env: { ...process.env, TMPDIR: "/nowhere" },
  });
  await holder.stdout.getReader().read();
  expect(await containers(lockName(instance))).toBe("running");
  holder.kill("SIGKILL");
  // On a busy machine the engine may take longer to end the container of one who was killed than
  // others wait for it.
  const next = await waitFor("the lock", async () => {
    const lock = await runtime.apply.lock(instance, "the next");
    return lock.outcome === "held" && lock;
  });
  await next[Symbol.asyncDispose]();

  await $`docker create --name ${lockName(instance)} --label dev.sett.held-by=killed sett/cub:latest`.quiet();
  await disposable(await runtime.apply.lock(instance, "the next"))[Symbol.asyncDispose]();
  await waitFor("nothing to be left", async () => (await containers(lockName(instance))) === "");
});

test("is released, also where its connection never says that it has ended", async () => {
  await using bench = await dockerInstance();
  const docker = new Docker();
  const createContainer = docker.createContainer.bind(docker);
  const mute = new Duplex({ read: () => {}, write: (_bytes, _encoding, done) => done() });
  mute.destroy = () => mute;
  docker.createContainer = async (options: Docker.ContainerCreateOptions) => {
    const made = await createContainer(options);
    made.attach = async () => mute;
    return made;
  };
  const lock = await acquireLock(docker, lockName(bench.instance), "Ada");
  await disposable(lock)[Symbol.asyncDispose]();
  await waitFor("nothing to be left", async () => {
    return (await containers(lockName(bench.instance))) === "";
  });
});

nightly(
  "is taken again where only its connection was cut, and is lost where another was quicker",
  async () => {
    await using bench = await dockerInstance();
    const { runtime: others, instance } = bench;
    await using proxy = await startEngineProxy();
    const { apply } = await dockerRuntime({ socketPath: proxy.path });
    const lock = await apply.lock(instance, "Ada");
    await using held = disposable(lock);
    const idOfLock = async () =>
      (await $`docker ps --quiet --filter name=${lockName(instance)}`.text()).trim();
    const first = await idOfLock();
    expect(proxy.cutStreams()).toBe(1);
    await waitFor("the lock to be held by another container", async () => {
      const id = await idOfLock();
      return id !== "" && id !== first;
    });
    expect(await others.apply.lock(instance, "Bob")).toEqual({ outcome: "taken", by: "Ada" });
    expect(held.lost.aborted).toBe(false);

    // The Engine does not answer its holder, and another process comes by another way.
    proxy.allowOnly([]);
    expect(proxy.cutStreams()).toBe(1);
    await using _bob = await waitFor("the lock to be free", async () => {
      const lock = await others.apply.lock(instance, "Bob");
      return lock.outcome === "held" && lock;
    });
    proxy.allowOnly([/./]);
    await aborted(held.lost);
    expect(held.lost.reason).toEqual({ by: "Bob" });
    // Its release leaves what is another's.
    await held[Symbol.asyncDispose]();
    expect(await others.apply.lock(instance, "Eve")).toEqual({ outcome: "taken", by: "Bob" });
  },
);

async function containers(name: string): Promise<string> {
  return (await $`docker ps --all --filter name=${name} --format ${"{{.State}}"}`.text()).trim();
}

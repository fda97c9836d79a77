// The lock of an instance on a Docker Engine, which everybody meets who uses that Engine, from
// whatever folder, user or container.
import { expect, setDefaultTimeout, test } from "bun:test";
import process from "node:process";
import { $ } from "bun";
import { lockName } from "../../../lib/runtime/names.ts";
import type { Lock } from "../../../lib/runtime/port.ts";
import { dockerInstance } from "../../support/docker/docker-instance.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(120_000);

function disposable(lock: Lock): AsyncDisposable {
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

async function containers(name: string): Promise<string> {
  return (await $`docker ps --all --filter name=${name} --format ${"{{.State}}"}`.text()).trim();
}

// No call to the Engine waits for ever, and no lock is left, where the Engine refuses, cuts or
// holds what it is asked.
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { InstanceName } from "../../../lib/model/ids.ts";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import { lockName } from "../../../lib/runtime/names.ts";
import { faults, startEngineProxy } from "../../support/docker/engine-proxy.ts";
import { ensureTinyImage, tinyImage } from "../../support/docker/tiny-image.ts";
import { nightly } from "../../support/nightly.ts";
import { SettWorkspace, scriptAgent, settYml } from "../../support/sett/sett-workspace.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(600_000);

const newName = () => InstanceName.parse(`lock-${crypto.randomUUID().slice(0, 8)}`);
const containersNamed = async (name: string) =>
  (await $`docker ps --all --quiet --filter name=${name}`.text()).trim();

for (const fault of faults) {
  // A whole `up` meets each of them: test/e2e/engine-faults.nightly.test.ts.
  const daily = fault === "error" || fault === "cut" ? test : nightly;
  daily(
    `a lock whose n-th request meets the fault ${fault} is acquired or fails, and is not left`,
    async () => {
      await using proxy = await startEngineProxy();
      // Only a request that is held needs it. The others may take longer on a busy machine.
      const runtime = await dockerRuntime({
        socketPath: proxy.path,
        patienceMs: fault === "hold" ? 10_000 : 60_000,
      });
      const outcomes: string[] = [];
      for (let nth = 1; nth <= 7; nth += 1) {
        const instance = newName();
        proxy.failOn(nth, fault);
        try {
          const lock = await runtime.apply.lock(instance, "a test");
          if (lock.outcome === "taken") throw new Error("no other process asks for it");
          outcomes.push("held");
          await lock[Symbol.asyncDispose]();
        } catch (error) {
          expect(error).toMatchObject({
            code: expect.stringMatching(/^docker-/),
            message: expect.stringMatching(/Docker/),
          });
          outcomes.push("refused");
        }
        proxy.failOn(0, fault);
        await waitFor(
          "the end of the lock",
          async () => (await containersNamed(lockName(instance))) === "",
        );
      }
      expect(outcomes).toContain("refused");
      // The sweep went past the last request.
      expect(outcomes.at(-1)).toBe("held");
    },
  );
}

test("a lock that the Engine does not give ends with its signal, and is not left", async () => {
  await using proxy = await startEngineProxy();
  const runtime = await dockerRuntime({ socketPath: proxy.path });
  const instance = newName();
  for (const nth of [4, 5]) {
    proxy.failOn(nth, "hold");
    const stop = new AbortController();
    const lock = runtime.apply
      .lock(instance, "a test", stop.signal)
      .catch((error: unknown) => error);
    await proxy.failed();
    stop.abort();
    expect(await lock).toMatchObject({ code: "interrupted" });
    expect(await containersNamed(lockName(instance))).toBe("");
  }
});

const labels = (instance: InstanceName, component: "network" | "blackboard") => ({
  instance,
  component,
  version: "1",
  workspace: "/w",
});

test("what the Engine has made without saying so is removed", async () => {
  await using proxy = await startEngineProxy();
  const runtime = await dockerRuntime({ socketPath: proxy.path });
  const instance = newName();
  const name = `sett-${instance}`;
  proxy.failOn(1, "lose", /^POST \/networks\/create/);
  const network = runtime.apply.createNetwork(name, labels(instance, "network"));
  await expect(network).rejects.toMatchObject({
    message: expect.stringContaining("in the middle of an answer"),
  });
  proxy.failOn(1, "lose", /^POST \/volumes\/create/);
  const volume = runtime.apply.makeVolume({ name: name, labels: labels(instance, "blackboard") });
  await expect(volume).rejects.toMatchObject({ code: "docker-unreachable" });
  proxy.failOn(1, "lose", /^POST \/containers\/create/);
  await ensureTinyImage();
  const spec = {
    name,
    image: tinyImage,
    entrypoint: ["/bin/true"],
    labels: labels(instance, "network"),
    env: {},
    mounts: [],
    restart: "no" as const,
  };
  const container = runtime.apply.start({ ...spec, network: "none", capabilities: "none" });
  await expect(container).rejects.toMatchObject({ code: "docker-unreachable" });
  expect(await containersNamed(name)).toBe("");
  expect((await $`docker network ls --quiet --filter name=${name}`.text()).trim()).toBe("");
  expect((await $`docker volume ls --quiet --filter name=${name}`.text()).trim()).toBe("");
});

test("what the Engine has made without saying so is named where it refuses to remove it", async () => {
  await using proxy = await startEngineProxy();
  const runtime = await dockerRuntime({ socketPath: proxy.path });
  const instance = newName();
  const name = `sett-${instance}`;
  await ensureTinyImage();
  proxy.allowOnly([/^GET /, /^POST /]);
  const { apply } = runtime;
  const of = (component: "network" | "blackboard") => ({
    name,
    labels: labels(instance, component),
  });
  const caged = { restart: "no", network: "none", capabilities: "none" } as const;
  const spec = { ...caged, image: tinyImage, entrypoint: ["/bin/true"], env: {}, mounts: [] };
  for (const [sort, kind, make, remedy] of [
    [
      "network",
      /^POST \/networks\/create/,
      () => apply.createNetwork(name, of("network").labels),
      "network rm",
    ],
    ["volume", /^POST \/volumes\/create/, () => apply.makeVolume(of("blackboard")), "volume rm"],
    [
      "container",
      /^POST \/containers\/create/,
      () => apply.start({ ...spec, ...of("network") }),
      "rm --force",
    ],
  ] as const) {
    proxy.failOn(1, "lose", kind);
    const failed: unknown = await make().catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: "docker-unreachable",
      message: expect.stringMatching(
        new RegExp(`does not answer: .* The ${sort} ${name} may be there: .*refused by the proxy`),
      ),
      hint: expect.stringMatching(
        new RegExp(`Tried: .*\nRemove it before you go on: docker ${remedy} ${name}$`),
      ),
    });
    await $`docker ${remedy.split(" ")} ${name}`.quiet();
  }
});

test("a container that does not start and cannot be removed is named", async () => {
  await using proxy = await startEngineProxy();
  const runtime = await dockerRuntime({ socketPath: proxy.path });
  await ensureTinyImage();
  const instance = newName();
  const name = `sett-${instance}`;
  proxy.allowOnly([/^GET /, /^POST \/containers\/create/]);
  const caged = { network: "none", capabilities: "none", restart: "no" } as const;
  const own = { name, labels: labels(instance, "network"), entrypoint: ["/bin/true"] };
  const spec = { ...own, image: tinyImage, env: {}, mounts: [] };
  await expect(runtime.apply.start({ ...spec, ...caged })).rejects.toMatchObject({
    message: expect.stringMatching(new RegExp(`could not start .* The container ${name} stays: `)),
    hint: expect.stringContaining(`docker rm --force ${name}`),
  });
  await $`docker rm --force ${name}`.quiet();
});

test("a container that was used for a moment is removed, also where the Engine refuses once", async () => {
  await using proxy = await startEngineProxy();
  const runtime = await dockerRuntime({ socketPath: proxy.path });
  await ensureTinyImage();
  const instance = newName();
  const name = `sett-${instance}`;
  const removal = /^DELETE \/containers\//;
  const owner = { uid: 1, gid: 1 };
  // A removal that is held is asked for again as well, once the patience has ended.
  for (const fault of faults.filter((one) => one !== "hold")) {
    proxy.failOn(1, fault, removal);
    const volume = { name, labels: labels(instance, "blackboard"), owner, image: tinyImage };
    await runtime.apply.makeVolume(volume).catch((error: unknown) => error);
    expect([fault, await containersNamed(name)]).toEqual([fault, ""]);
    await $`docker volume rm --force ${name}`.quiet();
  }
});

test("a volume that could not be filled is removed, also where the Engine refuses once, and is named where it stays", async () => {
  await using proxy = await startEngineProxy();
  const runtime = await dockerRuntime({ socketPath: proxy.path });
  const name = `sett-${newName()}`;
  const instance = InstanceName.parse(name.slice("sett-".length));
  const owner = { uid: 1, gid: 1 };
  const volume = { name, labels: labels(instance, "blackboard"), owner, image: tinyImage };
  const there = async () => (await $`docker volume ls --quiet --filter name=${name}`.text()).trim();
  const removal = /^DELETE \/volumes\//;
  proxy.allowOnly([/^GET /, /^POST \/volumes\/create/, removal]);
  proxy.failOn(1, "error", removal);
  const error: unknown = await runtime.apply.makeVolume(volume).catch((error: unknown) => error);
  await expect(proxy.failed()).resolves.toBeUndefined();
  expect([String(error), await there()]).toEqual([
    expect.stringContaining("refused by the proxy"),
    "",
  ]);
  proxy.allowOnly([/^GET /, /^POST \/volumes\/create/]);
  await expect(runtime.apply.makeVolume(volume)).rejects.toMatchObject({
    message: expect.stringContaining(`The volume ${name} stays: `),
    hint: expect.stringContaining(`docker volume rm ${name}`),
  });
  await $`docker volume rm ${name}`.quiet();
});

test("a network of that name and another's stays where the answer is lost", async () => {
  await using proxy = await startEngineProxy();
  const runtime = await dockerRuntime({ socketPath: proxy.path });
  const name = `sett-${newName()}`;
  await $`docker network create ${name}`.quiet();
  try {
    proxy.failOn(1, "lose", /^POST \/networks\/create/);
    await expect(
      runtime.apply.createNetwork(name, labels(newName(), "network")),
    ).rejects.toMatchObject({
      code: "docker-unreachable",
    });
    expect((await $`docker network ls --quiet --filter name=${name}`.text()).trim()).not.toBe("");
  } finally {
    await $`docker network rm ${name}`.quiet();
  }
});

test("a command in a container that says nothing ends with the patience", async () => {
  await ensureTinyImage();
  const runtime = await dockerRuntime({ env: process.env, patienceMs: 20_000 });
  const id = (await $`docker run --detach --rm ${tinyImage} /bin/sleep 600`.text()).trim();
  try {
    await expect(runtime.observe.exec(id, ["/bin/sleep", "500"])).rejects.toMatchObject({
      code: "docker-unreachable",
      message: "The Docker Engine has said nothing for 20 s.",
    });
  } finally {
    await $`docker rm --force ${id}`.quiet();
  }
});

nightly(
  "an interruption leaves a request that is held a moment, and the next one must see the Engine answer again",
  async () => {
    await using proxy = await startEngineProxy();
    const stop = new AbortController();
    const runtime = await dockerRuntime({ socketPath: proxy.path, interrupted: stop.signal });
    proxy.failOn(1, "stuck");
    const parts = runtime.observe.instances().catch((error: unknown) => error);
    await proxy.failed();
    stop.abort();
    expect(await parts).toMatchObject({ code: "interrupted" });
    // No digits and letters alone: the Engine would take them for the beginning of an id, and
    // remove another test's container.
    const names = ["sett-nothing-one", "sett-nothing-two"];
    const next = await Promise.all(
      names.map((name) => runtime.apply.remove(name).catch((error: unknown) => error)),
    );
    expect(next).toMatchObject([{ code: "docker-unreachable" }, { code: "docker-unreachable" }]);
    proxy.failOn(0, "error");
    await waitFor("the Engine to be asked again", () =>
      runtime.apply.remove("sett-nothing-one").then(
        () => true,
        () => false,
      ),
    );
  },
);

test("SETT_DOCKER_TIMEOUT that is no duration is refused with an example", async () => {
  const failure = await dockerRuntime({
    env: { ...process.env, SETT_DOCKER_TIMEOUT: "long" },
  }).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: "docker-unreachable",
    message:
      "SETT_DOCKER_TIMEOUT must be a duration such as `30s`, `5m`, `500ms` or `1h30m`, not `long`.",
  });
});

/** As Podman 4.3 answers: Docker's fields, and some of its own. */
const podman = {
  ServerVersion: "4.3.1",
  BuildahVersion: "1.28.2",
  Architecture: "amd64",
  NCPU: 1,
  MemTotal: 1,
  Rootless: true,
};

nightly(
  "`sett up` and `sett doctor` name Podman as what it is before they ask it anything else",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "sett-podman-"));
    const socketPath = join(folder, "podman.sock");
    const paths: string[] = [];
    const server = createHttpServer(({ url = "" }, answer) => {
      paths.push(url);
      answer.end(JSON.stringify(podman));
    });
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    try {
      const runtime = await dockerRuntime({ socketPath });
      const sentence = "This is Podman 4.3.1, which Sett does not support: ";
      expect(await runtime.observe.check().catch((error: unknown) => error)).toMatchObject({
        code: "docker-unreachable",
        message: expect.stringContaining(sentence),
      });
      await using sett = await SettWorkspace.create({
        ...scriptAgent("echo", ""),
        "sett.yml": settYml({ echo: "" }),
      });
      sett.env = { DOCKER_HOST: `unix://${socketPath}` };
      paths.splice(0);
      const up = await sett.sett("up");
      expect(up.code).toBe(1);
      for (const words of [sentence, "Start a Docker Engine; DOCKER_HOST or a context names it."])
        expect(up.err).toContain(words);
      expect(new Set(paths)).toEqual(new Set(["/info"]));
      const doctor = await sett.sett("doctor");
      expect(`${doctor.out}${doctor.err}`.replace(/\s+/g, " ")).toContain(sentence);
      expect(doctor.code).toBe(1);
    } finally {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    }
  },
);

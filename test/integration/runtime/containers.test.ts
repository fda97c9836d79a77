import { expect, test } from "bun:test";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { $ } from "bun";
import { networkName } from "../../../lib/runtime/names.ts";
import { dockerInstance } from "../../support/docker/docker-instance.ts";
import { docker, tinyImage } from "../../support/docker/tiny-image.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

test("a container of a missing image is refused by name, and nothing is left", async () => {
  await using sett = await dockerInstance();
  await expect(sett.run("true", { image: "sett-test/no-such-image:1" })).rejects.toMatchObject({
    code: "image-not-found",
    message: expect.stringContaining("sett-test/no-such-image:1"),
  });
  expect((await sett.runtime.observe.parts(sett.instance)).containers).toEqual([]);
});

test("a container that cannot start is refused, and nothing of it is left", async () => {
  await using sett = await dockerInstance();
  const first = await sett.run("sleep 600", { ports: [{ port: 80 }] });
  const hostPort = (await sett.runtime.observe.find(first.id))?.ports[0]?.hostPort ?? 0;
  await expect(sett.run("sleep 600", { ports: [{ port: 80, hostPort }] })).rejects.toMatchObject({
    code: "docker-failed",
    message: expect.stringContaining("already allocated"),
  });
  expect((await sett.runtime.observe.parts(sett.instance)).containers.map(({ id }) => id)).toEqual([
    first.id,
  ]);
});

test("what a person makes of an agent's container is no part, also under its name, and outlives the instance", async () => {
  await using sett = await dockerInstance();
  const { apply, observe, engine } = sett.runtime;
  const own = sett.name("agent-x1");
  const { id } = await sett.run("sleep 600");
  const image = sett.imageTag("kept");
  const kept = `keepme-${sett.instance}`;
  await docker("commit", id, image);
  try {
    await docker("create", "--name", kept, image);
    expect((await observe.parts(sett.instance)).containers.map(({ name }) => name)).toEqual([own]);
    await apply.remove(id);
    await docker("create", "--name", own, image);
    expect((await observe.parts(sett.instance)).containers).toEqual([]);
    expect(await engine.strangers(sett.instance)).toEqual([{ sort: "container", name: own }]);
    await apply.removeInstance(sett.instance, { blackboard: "remove" });
    const left = await docker("ps", "--all", "--format={{.Names}}", `--filter=ancestor=${image}`);
    expect(left.stdout.trim().split("\n").sort()).toEqual([kept, own]);
  } finally {
    await docker("rm", "--force", kept, own);
  }
});

test("a container that has ended goes on under its name or another, with the same id", async () => {
  await using sett = await dockerInstance();
  const { apply, observe } = sett.runtime;
  const { id } = await sett.run("sleep 600", { name: sett.name("redis") });
  await apply.stop(id, 0);
  await apply.rename(id, sett.name("redis.old"));
  await sett.run("sleep 600", { name: sett.name("redis") });
  await expect(apply.rename(id, sett.name("redis"))).rejects.toMatchObject({
    code: "instance-taken",
  });
  await apply.remove(sett.name("redis"));
  await apply.rename(id, sett.name("redis"));
  await apply.startAgain(id);
  await apply.startAgain(id);
  expect(await observe.find(sett.name("redis"))).toMatchObject({
    id,
    state: { state: "running" },
  });
});

test("capabilities, privileges, init, user, limits and the read-only root are really in force", async () => {
  await using sett = await dockerInstance();
  const script = `cat /proc/self/status; echo "Init: $(cat /proc/1/comm)"; echo "Here: $(pwd)"; echo "Greeting: $GREETING"
    touch /file 2>/dev/null && echo "Root: rw" || echo "Root: ro"; touch /scratch/file && echo "Scratch: rw"
    echo "Pids: $(cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max 2>/dev/null)"
    echo "Memory: $(cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null)"`;
  const { id } = await sett.run(script, {
    user: { uid: 10001, gid: 10002 },
    env: { GREETING: "hello = there" },
    workingDir: "/tmp",
    isRootReadOnly: true,
    mounts: [{ kind: "tmpfs", target: "/scratch", sizeBytes: 1024 * 1024 }],
    pidsLimit: 50,
    resources: {
      nanoCpus: 5e8,
      memoryBytes: 64 * 1024 * 1024,
      reservedNanoCpus: 25e7,
      reservedMemoryBytes: 32 * 1024 * 1024,
    },
  });
  expect(await sett.runtime.workers.wait(id)).toBe(0);
  const said = new Map<string, string>();
  for await (const { line } of sett.runtime.observe.logs(id)) {
    const [name, ...value] = line.split(":");
    said.set(name ?? "", value.join(":").trim());
  }
  expect(Object.fromEntries(said)).toMatchObject({
    CapEff: "0000000000000000",
    CapPrm: "0000000000000000",
    CapBnd: "0000000000000000",
    NoNewPrivs: "1",
    Uid: "10001\t10001\t10001\t10001",
    Gid: "10002\t10002\t10002\t10002",
    Init: "docker-init",
    Here: "/tmp",
    Greeting: "hello = there",
    Root: "ro",
    Scratch: "rw",
    Pids: "50",
    Memory: String(64 * 1024 * 1024),
  });
});

test("secrets are in memory, for the container's user alone, and the container knows this machine by a name", async () => {
  await using sett = await dockerInstance();
  const script = `umask 077; echo key > /keys/one; grep ' /keys ' /proc/mounts; cat /keys/one; grep -c engine-host /etc/hosts`;
  const { id } = await sett.run(script, {
    user: { uid: 10001, gid: 10002 },
    isRootReadOnly: true,
    hostAlias: "engine-host",
    mounts: [{ kind: "secrets", target: "/keys", sizeBytes: 1024 * 1024 }],
  });
  expect(await sett.runtime.workers.wait(id)).toBe(0);
  const lines: string[] = [];
  for await (const { line } of sett.runtime.observe.logs(id)) lines.push(line);
  expect(lines[0]).toMatch(
    /^tmpfs \/keys tmpfs rw,nosuid,nodev,noexec,.*size=1024k,mode=700,uid=10001/,
  );
  expect(lines.slice(1)).toEqual(["key", "1"]);
});

nightly("orphans are reaped", async () => {
  await using sett = await dockerInstance();
  // The orphan ends when the main process is a `sleep`, which reaps no child: without an init it
  // stays a zombie.
  const { id } = await sett.run(
    `sh -c 'sh -c "sleep 0.2; touch /tmp/done" & exit 0'; exec sleep 600`,
  );
  const isClean = `until test -e /tmp/done; do sleep 0.02; done
    for i in $(seq 1500); do grep -hq 'State:.Z' /proc/[0-9]*/status || exit 0; sleep 0.02; done; exit 1`;
  expect((await sett.runtime.observe.exec(id, ["/bin/sh", "-c", isClean])).exitCode).toBe(0);
});

test("a published port is reached on 127.0.0.1 and nowhere else", async () => {
  await using sett = await dockerInstance();
  const { id } = await sett.run(
    "mkdir -p /tmp/w && echo hello > /tmp/w/index.html && httpd -f -p 8080 -h /tmp/w",
    {
      ports: [{ port: 8080 }],
      healthcheck: {
        command: ["/bin/wget", "-qO-", "http://127.0.0.1:8080/"],
        intervalMs: 100,
        timeoutMs: 20_000,
        retries: 1000,
        startPeriodMs: 0,
      },
    },
  );
  await waitFor("a container that is healthy", async () => {
    const state = (await sett.runtime.observe.find(id))?.state;
    return state?.state === "running" && state.health === "healthy";
  });
  const hostPort = (await sett.runtime.observe.find(id))?.ports[0]?.hostPort ?? 0;
  expect(hostPort).toBeGreaterThan(0);
  expect(await (await fetch(`http://127.0.0.1:${hostPort}/`)).text()).toBe("hello\n");
  const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  for (const { address } of others.filter(
    ({ family, internal }) => family === "IPv4" && !internal,
  )) {
    expect(await connects(address, hostPort)).toBe(false);
  }
}, 600_000);

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
    // The address may be of a network that has gone meanwhile.
    socket.setTimeout(10_000, () => {
      socket.destroy();
      resolve(false);
    });
  });
}

nightly(
  "containers of one network reach each other by their aliases",
  async () => {
    await using sett = await dockerInstance();
    const network = networkName(sett.instance);
    await sett.runtime.apply.createNetwork(network, sett.labels({ component: "network" }));
    await sett.run("mkdir -p /tmp/w && echo here > /tmp/w/index.html && httpd -f -p 80 -h /tmp/w", {
      user: { uid: 0, gid: 0 },
      capabilities: "default",
      network: { name: network, aliases: ["redis"] },
    });
    const { id } = await sett.run(
      "until wget -qO- http://redis/ 2>/dev/null; do sleep 0.05; done",
      {
        network: { name: network, aliases: [] },
      },
    );
    expect(await sett.runtime.workers.wait(id)).toBe(0);
    await expect(
      sett.runtime.apply.createNetwork(network, sett.labels({ component: "network" })),
    ).rejects.toMatchObject({
      code: "instance-taken",
    });
  },
  600_000,
);

nightly(
  "a container has the health check of its image, or none where it runs something else",
  async () => {
    await using sett = await dockerInstance();
    const { id } = await sett.run("true");
    const image = sett.imageTag("checked");
    await docker("commit", "--change", 'HEALTHCHECK --interval=1h CMD ["/bin/false"]', id, image);
    const asItIs = await sett.run("sleep 600", { image });
    const without = await sett.run("sleep 600", { image, healthcheck: "none" });
    const healthOf = async (container: string) =>
      (await sett.runtime.observe.find(container))?.state;
    expect(await healthOf(asItIs.id)).toMatchObject({ health: "starting" });
    expect(await healthOf(without.id)).toMatchObject({ health: "none" });
  },
  600_000,
);

nightly(
  "a container is asked to stop by our signal, whichever its image names",
  async () => {
    await using sett = await dockerInstance();
    await sett.run("true");
    const image = sett.imageTag("deaf");
    await $`docker build --quiet --tag ${image} - < ${Buffer.from(`FROM ${tinyImage}\nSTOPSIGNAL SIGKILL\n`)}`.quiet();
    const { id: usual } = await sett.run("sleep 600", { image });
    const { id: other } = await sett.run("sleep 600", { image, stopSignal: "SIGSYS" });
    const signals = await docker("inspect", "--format", "{{.Config.StopSignal}}", usual, other);
    expect(signals.stdout.trim().split("\n")).toEqual(["SIGTERM", "SIGSYS"]);
  },
  600_000,
);

test("a container names its image", async () => {
  await using sett = await dockerInstance();
  const { id } = await sett.run("sleep 600");
  const image = await sett.runtime.engine.images.find(tinyImage);
  expect(image).toMatchObject({ user: "", entrypoint: [], env: { PATH: "/bin" } });
  expect((await sett.runtime.observe.find(id))?.image).toEqual({
    tag: tinyImage,
    id: String(image?.id),
  });
});

test("of what a container prints, the Engine keeps the newest hundred megabytes", async () => {
  await using sett = await dockerInstance();
  const driver = (await docker("info", "--format", "{{.LoggingDriver}}")).stdout.trim();
  const { id } = await sett.run("true");
  const kept = JSON.parse(
    (await docker("inspect", "--format", "{{json .HostConfig.LogConfig}}", id)).stdout,
  );
  // Where it is not the usual way, this machine's own settings hold.
  if (driver === "json-file")
    expect(kept).toEqual({ Type: "json-file", Config: { "max-size": "20m", "max-file": "5" } });
  else expect(kept.Type).toBe(driver);
});

import { expect, test } from "bun:test";
import { AgentName } from "../../lib/model/ids.ts";
import { blackboardVolumeName, networkName, redisName, workspaceVolumeName } from "../../lib/runtime/names.ts";
import { dockerInstance } from "../support/docker-instance.ts";
import { docker, tinyImage } from "../support/tiny-image.ts";

const agent = AgentName.parse("coder");

test("the parts of an instance are listed by its labels, with state, environment and ports", async () => {
  await using sett = await dockerInstance();
  await using other = await dockerInstance();
  const { instance, runtime } = sett;
  const network = networkName(instance);
  await Promise.all([
    runtime.networks.create(network, sett.labels({ component: "network" })),
    runtime.volumes.create(blackboardVolumeName(instance), sett.labels({ component: "blackboard" })),
    runtime.volumes.create(workspaceVolumeName(instance, agent), sett.labels({ component: "workspace", agent })),
    other.run("sleep 60"),
  ]);
  const { id } = await sett.run("sleep 60", {
    name: redisName(instance),
    labels: sett.labels({ component: "redis" }),
    env: { PASSWORD: "a=b" },
    network: { name: network, aliases: ["redis"] },
    ports: [{ port: 6379 }],
  });
  const ended = await sett.run("exit 3");
  await runtime.containers.wait(ended.id);

  const parts = await runtime.parts(instance);
  expect(parts.instance).toBe(instance);
  expect(parts.networks.map(({ name, labels }) => [name, labels.component])).toEqual([[network, "network"]]);
  expect(parts.volumes.map(({ name, labels }) => [name, labels])).toEqual([
    [blackboardVolumeName(instance), sett.labels({ component: "blackboard" })],
    [workspaceVolumeName(instance, agent), sett.labels({ component: "workspace", agent })],
  ]);
  const [worker, redis] = parts.containers;
  expect(worker).toMatchObject({ id: ended.id, ports: [], state: { state: "exited", exitCode: 3 } });
  expect(redis).toMatchObject({
    id,
    name: redisName(instance),
    labels: sett.labels({ component: "redis" }),
    image: { tag: tinyImage, id: (await runtime.images.find(tinyImage))?.id },
    env: { PASSWORD: "a=b", PATH: "/bin" },
    restarts: 0,
    state: { state: "running", health: "none" },
    ports: [{ port: 6379, hostPort: expect.any(Number) }],
  });

  const listed = (await runtime.instances()).filter((each) => each.instance === instance || each.instance === other.instance);
  expect(listed).toEqual([parts, await runtime.parts(other.instance)].sort((a, b) => (a.instance < b.instance ? -1 : 1)));
}, 30_000);

test("removing an instance leaves nothing, or the blackboard alone, and touches no other", async () => {
  await using sett = await dockerInstance();
  await using other = await dockerInstance();
  const { instance, runtime } = sett;
  const network = networkName(instance);
  await runtime.networks.create(network, sett.labels({ component: "network" }));
  await runtime.volumes.create(blackboardVolumeName(instance), sett.labels({ component: "blackboard" }));
  await runtime.volumes.create(workspaceVolumeName(instance, agent), sett.labels({ component: "workspace", agent }));
  await sett.run("trap '' TERM; sleep 60", {
    restart: "unless-stopped",
    network: { name: network, aliases: [] },
    mounts: [{ kind: "volume", volume: workspaceVolumeName(instance, agent), target: "/workspace", access: "rw" }],
  });
  await other.run("sleep 60");

  await runtime.removeInstance(instance, { blackboard: "keep" });
  const kept = await runtime.parts(instance);
  expect(kept).toEqual({
    instance,
    containers: [],
    networks: [],
    volumes: [expect.objectContaining({ name: blackboardVolumeName(instance) })],
  });

  await runtime.removeInstance(instance, { blackboard: "remove" });
  for (const kind of ["container", "volume", "network"]) {
    const all = kind === "container" ? ["--all"] : [];
    expect((await docker(kind, "ls", "--quiet", ...all, "--filter", `label=dev.sett.instance=${instance}`)).stdout).toBe("");
  }
  expect((await runtime.parts(other.instance)).containers).toHaveLength(1);
  await runtime.removeInstance(instance, { blackboard: "remove" });
}, 30_000);

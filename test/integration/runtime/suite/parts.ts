// Shows what is found of an instance, and what is left of it.
import { expect, test } from "bun:test";
import { text } from "node:stream/consumers";
import { AgentName } from "../../../../lib/model/ids.ts";
import {
  blackboardVolumeName,
  networkName,
  serviceContainer,
  workspaceVolumeName,
} from "../../../../lib/runtime/names.ts";
import { freePort } from "../../../support/redis/redis-server.ts";
import { waitFor } from "../../../support/wait-for.ts";
import type { RuntimeBench } from "./bench.ts";

const agent = AgentName.parse("coder");

export function partsSuite(open: () => Promise<RuntimeBench>, rarely: typeof test): void {
  test("the parts of an instance are listed by its labels, with state, environment and ports", async () => {
    await using sett = await open();
    await using other = await sett.beside();
    const { instance, runtime } = sett;
    const network = networkName(instance);
    await Promise.all([
      runtime.apply.createNetwork(network, sett.labels({ component: "network" })),
      runtime.apply.makeVolume({
        name: blackboardVolumeName(instance),
        labels: sett.labels({ component: "blackboard" }),
      }),
      runtime.apply.makeVolume({
        name: workspaceVolumeName(instance, agent),
        labels: sett.labels({ component: "workspace", agent }),
      }),
      other.run("sleep 600"),
    ]);
    const { id } = await sett.run("sleep 600", {
      name: serviceContainer(instance, "redis"),
      labels: sett.labels({ component: "redis" }),
      env: { PASSWORD: "a=b" },
      network: { name: network, aliases: ["redis"] },
      ports: [{ port: 6379, hostPort: await freePort() }],
    });
    const ended = await sett.run("exit 3");
    await runtime.workers.wait(ended.id);

    const parts = await runtime.observe.parts(instance);
    expect(parts.instance).toBe(instance);
    expect(parts.networks.map(({ name, labels }) => [name, labels.component])).toEqual([
      [network, "network"],
    ]);
    expect(parts.volumes.map(({ name, labels }) => [name, labels])).toEqual([
      [blackboardVolumeName(instance), sett.labels({ component: "blackboard" })],
      [workspaceVolumeName(instance, agent), sett.labels({ component: "workspace", agent })],
    ]);
    const [first, redis, ...more] = parts.containers;
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      id: ended.id,
      ports: [],
      state: { state: "exited", exitCode: 3 },
    });
    expect(redis).toMatchObject({
      id,
      name: serviceContainer(instance, "redis"),
      labels: sett.labels({ component: "redis" }),
      env: { PASSWORD: "a=b", PATH: expect.any(String) },
      restarts: 0,
      state: { state: "running", health: "none" },
      ports: [{ port: 6379, hostPort: expect.any(Number) }],
    });

    const listed = (await runtime.observe.instances()).filter(
      (each) => each.instance === instance || each.instance === other.instance,
    );
    expect(listed).toEqual(
      [parts, await runtime.observe.parts(other.instance)].sort((a, b) =>
        a.instance < b.instance ? -1 : 1,
      ),
    );
    const { workspace } = sett.labels({ component: "redis" });
    const ofWorkspace = (await runtime.observe.instances(workspace)).filter(
      (each) => each.instance === instance,
    );
    expect(ofWorkspace).toEqual([parts]);
    expect(await runtime.observe.instances("/nowhere")).toEqual([]);
  }, 600_000);

  test("removing an instance leaves nothing, or the blackboard alone, and touches no other", async () => {
    await using sett = await open();
    await using other = await sett.beside();
    const { instance, runtime } = sett;
    const network = networkName(instance);
    await runtime.apply.createNetwork(network, sett.labels({ component: "network" }));
    await runtime.apply.makeVolume({
      name: blackboardVolumeName(instance),
      labels: sett.labels({ component: "blackboard" }),
    });
    await runtime.apply.makeVolume({
      name: workspaceVolumeName(instance, agent),
      labels: sett.labels({ component: "workspace", agent }),
    });
    await sett.run("trap '' TERM; sleep 600", {
      restart: "unless-stopped",
      network: { name: network, aliases: [] },
      mounts: [
        {
          kind: "volume",
          volume: workspaceVolumeName(instance, agent),
          target: "/workspace",
          access: "rw",
        },
      ],
    });
    await other.run("sleep 600");

    await runtime.apply.removeInstance(instance, { blackboard: "keep" });
    expect(await runtime.observe.parts(instance)).toEqual({
      instance,
      containers: [],
      networks: [],
      volumes: [expect.objectContaining({ name: blackboardVolumeName(instance) })],
    });

    await runtime.apply.removeInstance(instance, { blackboard: "remove" });
    expect(await runtime.observe.parts(instance)).toEqual({
      instance,
      containers: [],
      networks: [],
      volumes: [],
    });
    expect((await runtime.observe.instances()).map((each) => each.instance)).not.toContain(
      instance,
    );
    expect((await runtime.observe.parts(other.instance)).containers).toHaveLength(1);
    await runtime.apply.removeInstance(instance, { blackboard: "remove" });
  }, 600_000);

  rarely(
    "a volume is kept when it is the instance's own, and refused when it is someone else's",
    async () => {
      await using sett = await open();
      await using other = await sett.beside();
      const { apply } = sett.runtime;
      const labels = sett.labels({ component: "blackboard" });
      const volume = sett.name("blackboard");
      expect(await apply.makeVolume({ name: volume, labels: labels })).toBe("created");
      expect(await apply.makeVolume({ name: volume, labels: labels })).toBe("kept");
      const refused = [
        other.labels({ component: "blackboard" }),
        sett.labels({ component: "carrier" }),
      ];
      for (const foreign of refused)
        await expect(apply.makeVolume({ name: volume, labels: foreign })).rejects.toMatchObject({
          code: "instance-taken",
        });
      await apply.removeVolume(volume);
      await apply.removeVolume(volume);
      expect(
        await apply.makeVolume({ name: volume, labels: other.labels({ component: "blackboard" }) }),
      ).toBe("created");
    },
  );

  rarely("a network's name is taken once, until it is removed", async () => {
    await using sett = await open();
    const { apply } = sett.runtime;
    const labels = sett.labels({ component: "network" });
    const name = networkName(sett.instance);
    await apply.createNetwork(name, labels);
    await expect(apply.createNetwork(name, labels)).rejects.toMatchObject({
      code: "instance-taken",
    });
    await apply.removeNetwork(name);
    await apply.removeNetwork(name);
    await apply.createNetwork(name, labels);
  });

  test("a stream to a part is one to the program that listens there", async () => {
    await using sett = await open();
    const { connect } = sett.runtime.observe;
    const port = await freePort();
    const { id } = await sett.run(
      `while :; do /bin/busybox nc -l -p ${port} -e /bin/echo hello; done`,
      { ports: [{ port, hostPort: port }] },
    );
    // An Engine takes a connection also before the program listens, and ends it then.
    await waitFor("its answer", async () => {
      const stream = await connect(id, port).catch(() => undefined);
      return stream !== undefined && (await text(stream)) === "hello\n";
    });
    await expect(connect(id, 1)).rejects.toMatchObject({ code: "not-ready" });
    await expect(connect(sett.name("unknown"), port)).rejects.toMatchObject({ code: "not-ready" });
  });

  test("an unknown name finds nothing", async () => {
    await using sett = await open();
    expect(await sett.runtime.observe.find(sett.name("unknown"))).toBeUndefined();
  });
}

// Where the Docker Engine listens, for the starter of workers.
import { describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findEngineSocket } from "../../../../../../apps/cli/up/hosts/engine-socket.ts";

describe("the engine's socket, for an instance with workers,", () => {
  const refusalOf = (DOCKER_HOST: string) =>
    findEngineSocket({ env: { DOCKER_HOST }, isRootless: false, isNear: true }).catch(
      (error: unknown) => error,
    );

  test("is known with the group that may use it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sett-engine-"));
    const path = join(folder, "docker.sock");
    await writeFile(path, "");
    const env = { DOCKER_HOST: `unix://${path}` };
    expect(await findEngineSocket({ env, isRootless: false, isNear: true })).toEqual({
      path,
      gid: (await stat(path)).gid,
    });
    expect(await findEngineSocket({ env, isRootless: true, isNear: true })).toEqual({
      path,
      uid: 0,
      gid: 0,
    });
    const both = { DOCKER_HOST: "tcp://10.0.0.1:2375", SETT_STARTER_SOCKET: path };
    expect((await findEngineSocket({ env: both, isRootless: false, isNear: true })).path).toBe(
      path,
    );
    await rm(folder, { recursive: true });
  });

  test("is the Engine's machine's own where it leads there, and not for a rootless Engine", async () => {
    const home = await mkdtemp(join(tmpdir(), "sett-home-"));
    const path = join(home, ".docker/run/docker.sock");
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "");
    const env = { HOME: home, DOCKER_HOST: `unix://${path}` };
    expect(await findEngineSocket({ env, isRootless: false, isNear: true })).toEqual({
      path: "/var/run/docker.sock",
      gid: 0,
    });
    expect(await findEngineSocket({ env, isRootless: true, isNear: true })).toEqual({
      path,
      uid: 0,
      gid: 0,
    });
    await rm(home, { recursive: true });
  });

  test("is the usual one of an Engine's machine elsewhere, for its root, or the one that is named", async () => {
    const env = { DOCKER_HOST: "ssh://build" };
    const there = { isRootless: false, isNear: false };
    expect(await findEngineSocket({ env, ...there })).toEqual({
      ...{ path: "/var/run/docker.sock", uid: 0, gid: 0 },
    });
    const named = { ...env, SETT_STARTER_SOCKET: "/run/proxy.sock" };
    expect((await findEngineSocket({ env: named, ...there })).path).toBe("/run/proxy.sock");
  });

  test("is refused where it is missing, not reachable, or of another machine, with who needs it", async () => {
    const hint = expect.stringContaining(
      "Agents with `replicas` or `strategy: fresh_per_call` need it",
    );
    for (const path of ["/no/such/docker.sock", "/dev/null/docker.sock"])
      expect(await refusalOf(`unix://${path}`)).toMatchObject({
        code: "docker-unreachable",
        message: expect.stringContaining(`The Docker Engine's socket ${path} cannot be used: `),
        hint,
      });
    expect(await refusalOf("tcp://10.0.0.1:2375")).toMatchObject({
      code: "docker-unreachable",
      message:
        "The Docker Engine is reached by tcp://10.0.0.1:2375, which is not a socket of this machine.",
      hint,
    });
  });
});

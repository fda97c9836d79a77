import { describe, expect, test } from "bun:test";
import {
  CageProof,
  whatOthersRead,
  whatPoliciesLeave,
} from "../../../../../apps/cub/container/cage.ts";
import { maxProblemLength } from "../../../../../lib/model/agent.ts";

const git = { path: Bun.which("git") ?? "git", env: { PATH: process.env.PATH } };

describe("the look at a process from outside", () => {
  test("finds one whose environment others can read", async () => {
    const child = Bun.spawn(["sleep", "60"]);
    try {
      expect(await whatOthersRead(git, child.pid)).toMatch(
        /^A command could look into the cub: another process has read \/proc\/\d+\/\w+\.$/,
      );
    } finally {
      child.kill();
    }
  });

  test("fails where there is nothing to see", async () => {
    await expect(whatOthersRead(git, 2 ** 22 + 1)).rejects.toThrow();
  });
});

test("what cannot be tried does not count as proven", async () => {
  const proof = new CageProof(
    { network: "open", limits: {} },
    { path: "/there/is/none", env: {} },
    {},
  );
  await proof.prove();
  expect(proof.problem).toStartWith("It cannot be tried whether the container confines commands:");
});

test("a cub that cannot ask the kernel says so, and claims no way to a network", async () => {
  const cage = Bun.resolveSync("../../../../../apps/cub/container/cage.ts", import.meta.dir);
  const script = `
    const { CageProof } = await import(${JSON.stringify(cage)});
    const proof = new CageProof({ network: "none", limits: {} }, ${JSON.stringify(git)}, {});
    await proof.prove();
    console.log(proof.problem);`;
  const env = { ...process.env, BUN_JSC_useJIT: "0" };
  const { stdout } = Bun.spawnSync([process.execPath, "-e", script], { env });
  expect(stdout.toString()).toContain("cannot ask the kernel for a way to a network");
});

describe("what policies of a cluster leave", () => {
  const apiServer = () => {
    const connection = Promise.withResolvers<void>();
    const socket = { open: () => connection.resolve(), data() {} };
    const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
    const env = {
      KUBERNETES_SERVICE_HOST: "127.0.0.1",
      KUBERNETES_SERVICE_PORT: String(server.port),
    };
    return { env, connection: connection.promise, [Symbol.dispose]: () => server.stop(true) };
  };

  test("an API server that answers shows that none is in force, and the setting that accepts it", async () => {
    using server = apiServer();
    const found = await whatPoliciesLeave(server.env, 100);
    expect(found).toStartWith("A command could reach the cluster's API server");
    expect(found).toContain("`accept_open_network: true`");
    expect(found?.length).toBeLessThan(maxProblemLength);
  });

  test("one that is refused soon after a pod's start is closed", async () => {
    const server = apiServer();
    const found = whatPoliciesLeave(server.env, 120_000);
    await server.connection;
    server[Symbol.dispose]();
    expect(await found).toBeUndefined();
  });

  test("where no variable names it, nothing is proven", async () => {
    await expect(whatPoliciesLeave({})).rejects.toThrow("no variable names");
  });
});

// What sett.yml asks for and the Engine cannot give is said before any image is built.
import { expect, setDefaultTimeout, test } from "bun:test";
import { createServer } from "node:net";
import { $ } from "bun";
import { finished } from "../support/cli/finished.ts";
import { canStartEngine, startFreshEngine } from "../support/docker/fresh-engine.ts";
import { settBinary } from "../support/process/compiled.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";

setDefaultTimeout(900_000);

const needed = ["sett/cub", "sett/redis", "sett/orchestrator", "sett/agent-base"];

/** An Engine with this pool of addresses and our images, and a sett that is not up there yet. */
async function withPool(pool: string) {
  const engine = await startFreshEngine([
    "--bip=172.31.255.1/24",
    `--default-address-pool=${pool}`,
  ]);
  const sett = await SettWorkspace.create({
    ...scriptAgent("echo", ""),
    "sett.yml": settYml({ echo: "" }),
  });
  await sett.commit("Add a sett");
  sett.env = { DOCKER_HOST: engine.host };
  const version = (await sett.need("--version")).trim();
  const images = needed.flatMap((name) => [`${name}:${version}`, `${name}:latest`]);
  await $`docker save ${images} | docker --host ${engine.host} load`.quiet();
  return {
    engine,
    sett,
    async [Symbol.asyncDispose]() {
      await sett[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    },
  };
}

test.skipIf(!canStartEngine)(
  "an Engine without addresses for a network says so before images are built",
  async () => {
    // One range, which a network of a person has.
    await using scene = await withPool("base=10.199.0.0/24,size=24");
    const { engine, sett } = scene;
    await $`docker --host ${engine.host} network create mine`.quiet();
    const { code, err } = await sett.sett("up", "--name", sett.name);
    const text = err.replace(/\s+/g, " ");
    expect(text).toContain(
      "Docker has no addresses left for another network: it has 4, 0 of them Sett's.",
    );
    expect(text).toContain("`docker network prune`");
    expect({ code, built: text.includes("building its image") }).toEqual({ code: 1, built: false });
    const built =
      await $`docker --host ${engine.host} images --quiet --filter reference=sett-${sett.name}-agent-echo`.text();
    expect(built).toBe("");
    const networks =
      await $`docker --host ${engine.host} network ls --format ${"{{.Name}}"}`.text();
    expect(networks.trim().split("\n").sort()).toEqual(["bridge", "host", "mine", "none"]);
  },
);

test.skipIf(!canStartEngine)(
  "a network whose range is for fewer containers than the instance has says how to get a larger one",
  async () => {
    // The gateway of the network, and one container.
    await using scene = await withPool("base=10.199.0.0/24,size=30");
    const { engine, sett } = scene;
    const { code, err } = await finished(
      Bun.spawn([...engine.within(), settBinary, "up", "--name", sett.name], {
        ...{ cwd: sett.folder, env: { ...process.env, ...sett.env } },
        ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
      }),
    );
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /no available IPv4 addresses[\s\S]*`size` of `default-address-pools`/,
      ),
    });
    const left = await $`docker --host ${engine.host} ps --all --quiet`.text();
    const networks =
      await $`docker --host ${engine.host} network ls --format ${"{{.Name}}"}`.text();
    expect(left).toBe("");
    expect(networks.trim().split("\n").sort()).toEqual(["bridge", "host", "none"]);
  },
);

test("more processors than the Engine has, and a port in use, are said with their lines before images are built", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  await using sett = await SettWorkspace.create({
    ...scriptAgent("echo", ""),
    "sett.yml": settYml(
      { echo: "    resources: { limits: { cpus: 512 } }\n" },
      `services: { api: { port: ${port}, tokens: [{ name: ci, secret: token, may: [read] }] } }\nsecrets: { token: { environment: SETT_TEST_TOKEN } }\n`,
    ),
  });
  await sett.commit("Add a sett");
  sett.env = { SETT_TEST_TOKEN: "vR8-xq3_Lk0wZt71mBfYp5nHs2cJd9uG" };
  const { code, err } = await sett.sett("up", "--name", sett.name);
  server.close();
  expect(code).toBe(2);
  const text = err.replace(/\s+/g, " ");
  expect(text).toMatch(/sett\.yml:2:\d+ services\.api\.port: \d+ of 127\.0\.0\.1 is in use/);
  expect(text).toMatch(
    /sett\.yml:9:\d+ agents\.echo\.resources\.limits\.cpus: is 512, and the Docker Engine has \d+ processors/,
  );
  expect(text).not.toContain("building its image");
  expect(await sett.leftOvers()).toEqual([]);
});

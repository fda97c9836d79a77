// Which Engine is meant, by variables, contexts and sockets as people have them.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findEngine, wouldWork } from "../../../../../lib/runtime/docker/find-engine.ts";

let home: string;
let env: Record<string, string>;
const servers: Server[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "home-"));
  env = { HOME: home, XDG_RUNTIME_DIR: join(home, "run") };
});

afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await rm(home, { recursive: true });
});

async function listen(...parts: string[]): Promise<string> {
  const path = join(home, ...parts);
  await mkdir(dirname(path), { recursive: true });
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return path;
}

const digestOf = (name: string) => createHash("sha256").update(name).digest("hex");

async function context(name: string, host: string, folder = join(home, ".docker")): Promise<void> {
  const id = digestOf(name);
  await mkdir(join(folder, "contexts/meta", id), { recursive: true });
  const meta = {
    Name: name,
    Metadata: {},
    Endpoints: { docker: { Host: host, SkipTLSVerify: false } },
  };
  await writeFile(join(folder, "contexts/meta", id, "meta.json"), JSON.stringify(meta));
}

const choose = (name: string) =>
  writeFile(join(home, ".docker/config.json"), JSON.stringify({ auths: {}, currentContext: name }));
const pathOf = async () => {
  const found = await findEngine(env);
  return found.kind === "socket" ? found.path : found.host;
};
const refusal = () => findEngine(env).catch((error: unknown) => error);

describe("the Engine", () => {
  test("is that of DOCKER_HOST, then of DOCKER_CONTEXT, then of the current context", async () => {
    await context("one", "unix:///engines/one.sock");
    await context("two", "unix:///engines/two.sock");
    await choose("one");
    expect(await findEngine(env)).toMatchObject({
      path: "/engines/one.sock",
      by: expect.stringContaining("the context one ("),
    });
    env.DOCKER_CONTEXT = "two";
    expect(await findEngine(env)).toMatchObject({
      path: "/engines/two.sock",
      by: "the context two (DOCKER_CONTEXT)",
    });
    env.DOCKER_HOST = "unix:///engines/three.sock";
    expect(await findEngine(env)).toMatchObject({ path: "/engines/three.sock", by: "DOCKER_HOST" });
    env.DOCKER_HOST = "tcp://10.0.0.1:2375";
    expect(await pathOf()).toBe("tcp://10.0.0.1:2375");
    env.DOCKER_HOST = "unix://";
    expect(await pathOf()).toBe("/var/run/docker.sock");
  });

  test("is that of a context in the folder that DOCKER_CONFIG names", async () => {
    env.DOCKER_CONFIG = join(home, "elsewhere");
    await context("own", "unix:///engines/own.sock", env.DOCKER_CONFIG);
    env.DOCKER_CONTEXT = "own";
    expect(await pathOf()).toBe("/engines/own.sock");
  });

  test("is on another machine where DOCKER_HOST or a context says so, with the certificates of each", async () => {
    await context("by-ssh", "ssh://ada@build.example.org:2222");
    await context("by-tls", "tcp://build.example.org:2376");
    const folder = join(home, ".docker/contexts/tls", digestOf("by-tls"), "docker");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "ca.pem"), "");
    env.DOCKER_CONTEXT = "by-ssh";
    expect(await findEngine(env)).toMatchObject({
      ...{ kind: "ssh", host: "ssh://ada@build.example.org:2222" },
      by: "the context by-ssh (DOCKER_CONTEXT)",
    });
    env.DOCKER_CONTEXT = "by-tls";
    const tls = (isVerified: boolean, of: string) => ({
      ...{ kind: "host", host: "tcp://build.example.org:2376" },
      tls: { folder: of, isVerified },
    });
    expect(await findEngine(env)).toMatchObject(tls(true, folder));
    env.DOCKER_HOST = "tcp://build.example.org:2376";
    expect(await findEngine(env)).toMatchObject({ kind: "host", tls: undefined });
    env.DOCKER_TLS = "1";
    expect(await findEngine(env)).toMatchObject(tls(false, join(home, ".docker")));
    Object.assign(env, { DOCKER_TLS_VERIFY: "yes", DOCKER_CERT_PATH: "/certs" });
    expect(await findEngine(env)).toMatchObject(tls(true, "/certs"));
  });

  test("is not guessed where a context is named that does not exist, or has no address", async () => {
    await context("odd", "build.example.org/docker");
    await context("near", `unix://${await listen("near.sock")}`);
    for (const name of ["odd", "gone"]) {
      env.DOCKER_CONTEXT = name;
      expect(await refusal()).toMatchObject({
        code: "docker-unreachable",
        message: expect.stringContaining(
          `The Docker Engine is named by the context ${name} (DOCKER_CONTEXT)`,
        ),
        hint: expect.stringContaining(
          "The context near answers: `unset DOCKER_HOST; export DOCKER_CONTEXT=near`.",
        ),
      });
    }
  });

  test.each([
    ["/run/docker.sock", "`export DOCKER_HOST=unix:///run/docker.sock`"],
    ["/my engines/docker.sock", "`export DOCKER_HOST='unix:///my engines/docker.sock'`"],
    ["unix:/run/docker.sock", "`export DOCKER_HOST=unix:///run/docker.sock`"],
    ["tcp://:2375", "`export DOCKER_HOST=tcp://localhost:2375`"],
    [":2375", "`export DOCKER_HOST=tcp://localhost:2375`"],
    ["fd://", "`unix:///PATH`, `tcp://HOST:PORT` or `ssh://USER@HOST`"],
    ["~/.docker/run/docker.sock", "`unix:///PATH`, `tcp://HOST:PORT` or `ssh://USER@HOST`"],
  ])("is nowhere where DOCKER_HOST is %j, which is no address", async (host, way) => {
    await context("near", `unix://${await listen("near.sock")}`);
    env.DOCKER_HOST = host;
    expect(await refusal()).toMatchObject({
      code: "docker-unreachable",
      message: `DOCKER_HOST is ${host}, which is no address of a Docker Engine.`,
      hint: expect.stringContaining(way),
    });
    expect(await refusal()).toMatchObject({
      hint: expect.stringContaining("The context near answers"),
    });
  });

  test.each([
    [" unix:///run/docker.sock\n", "/run/docker.sock"],
    ["unix:///my engines/docker.sock", "/my engines/docker.sock"],
    ["unix://here/docker.sock", join(process.cwd(), "here/docker.sock")],
  ])("is where docker goes with DOCKER_HOST %j", async (host, path) => {
    env.DOCKER_HOST = host;
    expect(await pathOf()).toBe(path);
  });

  test("is that of a context as docker reads it: any case of a key, no host", async () => {
    const folder = join(home, ".docker");
    await context("odd", "", folder);
    const file = join(folder, "contexts/meta", digestOf("odd"), "meta.json");
    env.DOCKER_CONTEXT = "odd";
    await writeFile(file, '{"name":"odd","endpoints":{"docker":{"host":"unix:///odd.sock"}}}');
    expect(await pathOf()).toBe("/odd.sock");
    await writeFile(file, '{"Name":"odd","Endpoints":{"docker":{"Host":""}}}');
    const usual = await findEngine({ HOME: home, XDG_RUNTIME_DIR: join(home, "run") });
    expect(await findEngine(env)).toEqual(usual);
  });

  test.each([
    ["{", "/meta.json cannot be read: it is no JSON."],
    ["", "/meta.json cannot be read: it is no JSON."],
    ['{"Name":"odd","Endpoints":{"kubernetes":{}}}', "which names no Docker Engine."],
  ])("is not said to be missing where the context has %j", async (text, sentence) => {
    await context("odd", "unix:///odd.sock");
    const file = join(home, ".docker/contexts/meta", digestOf("odd"), "meta.json");
    await writeFile(file, text);
    env.DOCKER_CONTEXT = "odd";
    expect(await refusal()).toMatchObject({
      code: "docker-unreachable",
      message: expect.stringContaining(sentence),
      hint: expect.stringContaining("`unset DOCKER_CONTEXT`"),
    });
    delete env.DOCKER_CONTEXT;
    await choose("odd");
    expect(await refusal()).toMatchObject({
      message: expect.stringContaining(sentence),
      hint: expect.stringContaining("`docker context use default`"),
    });
  });

  test.each([
    ".colima/docker.sock",
    ".colima/work/docker.sock",
    ".config/colima/work/docker.sock",
    ".lima/docker/sock/docker.sock",
  ])("is in a machine of its own where ~/%s leads to it, also by a link", async (name) => {
    const path = await listen(...name.split("/"));
    env.DOCKER_HOST = `unix://${path}`;
    expect(await findEngine(env)).toMatchObject({ path, isForwarded: true });
    const link = join(home, "docker.sock");
    await symlink(path, link);
    env.DOCKER_HOST = `unix://${link}`;
    expect(await findEngine(env)).toMatchObject({ path: link, isForwarded: true });
  });

  test("is a configuration away where that is broken, or says default", async () => {
    const rootless = await listen("run", "docker.sock");
    await mkdir(join(home, ".docker"), { recursive: true });
    for (const text of ["{", "[]", '{"currentContext":7}', '{"currentContext":"default"}', "{}"]) {
      await writeFile(join(home, ".docker/config.json"), text);
      expect([rootless, "/var/run/docker.sock"]).toContain(await pathOf());
    }
  });

  test("is said to be the usual one since the file that names a context cannot be read", async () => {
    await context("near", `unix://${await listen("near.sock")}`);
    const file = join(home, ".docker/config.json");
    for (const text of ['{"currentContext":"near",}', '\uFEFF{"currentContext":"near"}']) {
      await writeFile(file, text);
      expect(await findEngine(env)).toMatchObject({
        by: expect.stringMatching(/^the usual socket.*, since .*\/config\.json is no JSON$/),
      });
      expect(await wouldWork(env)).toContain("export DOCKER_CONTEXT=near`");
    }
    await writeFile(file, " \n");
    expect(await findEngine(env)).toMatchObject({ by: expect.not.stringContaining("since") });
    await rm(file);
    await mkdir(file);
    expect(await findEngine(env)).toMatchObject({
      by: expect.stringMatching(/since .* cannot be read: EISDIR/),
    });
  });

  test("is the usual one where DOCKER_HOST is blank, whatever the context", async () => {
    await context("near", `unix://${await listen("near.sock")}`);
    await choose("near");
    const usual = await findEngine({ HOME: join(home, "no"), XDG_RUNTIME_DIR: join(home, "no") });
    env.DOCKER_HOST = " ";
    expect(await findEngine(env)).toMatchObject({ kind: "socket", by: usual.by });
    expect(await pathOf()).not.toEndWith("near.sock");
  });

  const others = [
    [".docker", "run", "docker.sock"],
    [".docker", "desktop", "docker.sock"],
    [".orbstack", "run", "docker.sock"],
    [".colima", "default", "docker.sock"],
    [".config", "colima", "default", "docker.sock"],
    [".rd", "docker.sock"],
    ["run", "docker.sock"],
  ];

  test.each(others.map((parts) => [parts.join("/"), parts] as const))(
    "is offered where it listens at ~/%s",
    async (_, parts) => {
      const path = await listen(...parts);
      env.DOCKER_HOST = "unix:///no/such.sock";
      expect(await wouldWork(env)).toMatch(
        / An Engine answers at .*: `export DOCKER_HOST=unix:\/\/.*`\./,
      );
      delete env.DOCKER_HOST;
      const found = await findEngine(env);
      // An Engine of this machine at docker's usual socket comes first.
      if (found.kind === "socket" && found.path !== "/var/run/docker.sock") {
        expect(found.path).toBe(path);
        expect(found.isForwarded).toBe(parts[0] !== "run");
        expect(found.tried[0]).toBe("/var/run/docker.sock");
      }
      env.DOCKER_HOST = `unix://${path}`;
      expect(await findEngine(env)).toMatchObject({ path, isForwarded: parts[0] !== "run" });
    },
  );
});

// A proxy of the person's environment, which does not answer: no request to this machine goes
// there.
import { afterAll, beforeAll, expect, test } from "bun:test";
import process from "node:process";
import { serve } from "../../../lib/service/serve.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { isNight } from "../../support/nightly.ts";

const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
const dead = Object.fromEntries(names.map((name) => [name, "http://127.0.0.1:9"]));
const answer = () => Response.json({ service: "any", ok: true });

/** The cub reads all its settings before it asks. */
const cub = {
  SETT_INSTANCE_NAME: "any",
  SETT_AGENT_NAME: "any",
  REDIS_URL: "redis://127.0.0.1:9",
  SETT_AGENT_COMMAND: '["true"]',
};

let at: Workspace;
const servers = ["0.0.0.0", "::1"].map((hostname) => serve({ port: 0, hostname }, answer));
const [v4 = 0, v6 = 0] = servers.map(({ port }) => port);

beforeAll(async () => {
  at = await Workspace.create();
});

/** Answers each request as its name says, also where it asks for a tunnel. */
const proxy = Bun.listen({
  ...{ port: 0, hostname: "127.0.0.1" },
  socket: {
    data(socket, bytes) {
      const [, status] = /\b(\d{3})\.example/.exec(bytes.toString()) ?? [];
      if (status !== undefined)
        socket.write(`HTTP/1.1 ${status} Said\r\nContent-Length: 0\r\n\r\n`);
      socket.end();
    },
  },
});

afterAll(async () => {
  proxy.stop(true);
  await Promise.all(servers.map((server) => server.stop()));
  await at[Symbol.asyncDispose]();
});

test.each(isNight ? ["api", "cub", "gateway", "orchestrator"] : ["orchestrator"])(
  "the %s asks itself how it is",
  async (program) => {
    const env = { PATH: process.env.PATH, SETT_HEALTH_PORT: String(v4), ...cub, ...dead };
    const child = Bun.spawn([process.execPath, `apps/${program}/main.ts`, "--healthcheck"], {
      env,
      stdout: "pipe",
      stderr: "pipe",
    });
    const [code, err] = await Promise.all([child.exited, new Response(child.stderr).text()]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
  },
);

test.each([
  ...[`http://127.0.0.1:${v4}`, `http://localhost:${v4}`, `http://[::1]:${v6}`],
  ...[`http://127.53.0.1:${v4}`, `http://localhost.:${v4}`, `http://0.0.0.0:${v4}`],
])("sett asks %s itself", async (url) => {
  const env = { ...at.env, ...dead, SETT_API: url, SETT_API_TOKEN: "secret" };
  const { err } = await runSett(["status"], { cwd: at.folder, env });
  expect(err).toContain(`What answers at ${url} is no API of Sett`);
});

test("an error of another host names the proxy in between", async () => {
  const env = { ...at.env, ...dead, SETT_API: "https://sett.example", SETT_API_TOKEN: "secret" };
  const { err } = await runSett(["status"], { cwd: at.folder, env });
  expect(err.replace(/\s+/g, " ")).toContain(
    "(asked through the proxy 127.0.0.1:9 of HTTPS_PROXY;",
  );
});

test("whatever a library asks in a program, the error names the proxy that refused or hung up", async () => {
  const urls = [
    "https://407.example",
    "http://407.example",
    "https://503.example",
    "https://gone.example",
  ];
  const script = `
    const { goByProxies } = await import("./lib/service/by-proxy.ts");
    goByProxies(process.env);
    for (const url of ${JSON.stringify(urls)}) await fetch(url).catch((error) => console.log(error.message));
  `;
  const env = Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${proxy.port}`]));
  const child = Bun.spawn([process.execPath, "-e", script], { env, stdout: "pipe" });
  const lines = (await new Response(child.stdout).text()).trim().split("\n");
  const way = `asked through the proxy 127.0.0.1:${proxy.port} of HTTP`;
  expect(lines.map((line) => line.includes(way))).toEqual(urls.map(() => true));
  expect(lines.map((line) => /: (\d{3}) /.exec(line)?.[1])).toEqual([
    "407",
    "407",
    "503",
    undefined,
  ]);
});

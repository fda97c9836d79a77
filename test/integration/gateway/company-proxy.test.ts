// A company's proxy and certificate between the gateway and its providers: a real proxy, and a
// certificate of one's own. Skipped where there is no tinyproxy.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { serviceCommand } from "../../support/process/compiled.ts";
import { waitFor } from "../../support/wait-for.ts";

const tinyproxy = Bun.which("tinyproxy");

let folder: string;
let proxy: { url: string; stop: () => Promise<void> };
let provider: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  if (tinyproxy === null) return;
  folder = await mkdtemp(join(tmpdir(), "sett-proxy-"));
  await certificates();
  const tls = {
    cert: await readFile(join(folder, "server.pem"), "utf8"),
    key: await readFile(join(folder, "server.key"), "utf8"),
  };
  provider = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", tls },
    fetch: () => Response.json({ data: [] }),
  });
  proxy = await startProxy(tinyproxy);
});

afterAll(async () => {
  if (tinyproxy === null) return;
  await proxy.stop();
  await provider.stop(true);
  await rm(folder, { recursive: true });
});

async function certificates(): Promise<void> {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await writeFile(join(folder, "names"), "subjectAltName=DNS:models.company.test,DNS:localhost");
  await $`openssl req -x509 ${key} -keyout ca.key -out ca.pem -subj /CN=Company -days 2`
    .cwd(folder)
    .quiet();
  await $`openssl req ${key} -keyout server.key -out server.csr -subj /CN=models.company.test`
    .cwd(folder)
    .quiet();
  await $`openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -extfile names`
    .cwd(folder)
    .quiet();
}

/** On a port that was free a moment ago: it takes no port 0. */
async function startProxy(program: string) {
  const probe = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  const lines = [`Port ${port}`, "Listen 127.0.0.1", "Allow 127.0.0.1", "LogLevel Connect"];
  await writeFile(
    join(folder, "proxy.conf"),
    `${[...lines, `LogFile "${join(folder, "proxy.log")}"`].join("\n")}\n`,
  );
  const child = Bun.spawn([program, "-d", "-c", join(folder, "proxy.conf")], {
    stdout: "ignore",
    stderr: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  await waitFor("the proxy", () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  return {
    url,
    stop: async () => {
      child.kill();
      await child.exited;
    },
  };
}

/** As `sett up` asks the gateway whether its models are reachable. */
async function probe(environment: Record<string, string>): Promise<unknown> {
  const settings = {
    ...{ provider: "openai", model: "m", base_url: `https://localhost:${provider.port}/v1` },
    ...{ parallel: 1, timeout_ms: 60_000, needs_key: false },
  };
  const child = Bun.spawn([...serviceCommand("gateway"), "--probe"], {
    env: {
      PATH: process.env.PATH ?? "",
      SETT_INSTANCE_NAME: "test",
      REDIS_URL: "redis://127.0.0.1:1",
      SETT_MODELS: JSON.stringify({ local: settings }),
      SETT_MODEL_AGENTS: "{}",
      SETT_KEYS_DIR: folder,
      ...environment,
    },
    stdout: "pipe",
  });
  return JSON.parse(await new Response(child.stdout).text());
}

test.skipIf(tinyproxy === null)(
  "a provider is reached with a certificate of one's own, and not without it",
  async () => {
    expect(await probe({})).toMatchObject([{ model: "local" }]);
    expect(await probe({ NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") })).toEqual([]);
  },
);

test.skipIf(tinyproxy === null)(
  "a provider elsewhere is asked through the proxy, and this machine is not",
  async () => {
    const ca = { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") };
    // No proxy leads to this machine itself: the name is the proxy's to find, or not.
    const model = {
      ...{ provider: "openai", model: "m", base_url: "https://models.company.test:1/v1" },
      ...{ parallel: 1, timeout_ms: 60_000, needs_key: false },
    };
    const through = { ...ca, HTTPS_PROXY: proxy.url, NO_PROXY: "host.docker.internal" };
    await probe({ ...through, SETT_MODELS: JSON.stringify({ local: model }) });
    expect(await probe(through)).toEqual([]);
    const log = await readFile(join(folder, "proxy.log"), "utf8");
    expect(log).toContain("CONNECT models.company.test:1");
    expect(log).not.toContain(`CONNECT localhost:${provider.port}`);
  },
);

// Where the API may listen.
import { expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:net";
import { unusableApiPort } from "../../../../../../apps/cli/up/checks/api-port.ts";
import { parseConfig } from "../../../../../../lib/config/parse-config.ts";
import { InstanceName } from "../../../../../../lib/model/ids.ts";
import type { InstanceParts } from "../../../../../../lib/runtime/port.ts";

function configWith(host: string, port: number) {
  const { config, mistakes } = parseConfig({
    text: `version: '1.0'\nagents:\n  a:\n    image: some/image:1\n    command: [run]\nsecrets: { token: { environment: TOKEN } }\nservices: { api: { host: '${host}', port: ${port}, tls: none, tokens: [{ name: ci, secret: token, may: [read] }] } }\n`,
    file: "sett.yml",
    folder: "/work",
    host: {},
  });
  if (config === undefined) throw new Error(JSON.stringify(mistakes));
  return config;
}

/** An instance of which one part, its API, listens at this port. */
function withApiAt(hostPort: number, component: "api" | "gateway" = "api"): InstanceParts {
  const instance = InstanceName.parse("demo");
  const labels = {
    instance,
    component,
    version: "1",
    workspace: "/w",
    fingerprint: "f",
  };
  return {
    instance,
    volumes: [],
    networks: [],
    containers: [
      {
        id: "1",
        name: `sett-demo-${component}`,
        labels,
        image: { tag: "sett/api:1", id: "sha256:1" },
        state: { state: "running", startedAt: "2026-11-29T10:00:00Z", health: "healthy" },
        restarts: 0,
        isOutOfMemory: false,
        memoryBytes: undefined,
        createdAt: "2026-11-29T10:00:00Z",
        env: {},
        ports: [{ port: 8443, hostPort }],
      },
    ],
  };
}

test("a port that another program has is found, also where the instance has its API at another one", async () => {
  const server = createServer();
  server.listen({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const found = (before?: InstanceParts, env = {}) =>
    unusableApiPort(configWith("127.0.0.1", port), before, env);
  const inUse = [
    {
      path: ["services", "api", "port"],
      sentence: `${port} of 127.0.0.1 is in use: \`ss -ltnp\` shows by what; choose another`,
    },
  ];
  expect(await found()).toEqual(inUse);
  expect(await found(withApiAt(port === 8443 ? 8444 : 8443))).toEqual(inUse);
  expect(await found(withApiAt(port, "gateway"))).toEqual(inUse);
  expect(await found(withApiAt(port))).toEqual([]);
  expect(await found(undefined, { DOCKER_HOST: "tcp://engine.invalid:2375" })).toEqual([]);
  server.close();
});

test("an address at which no program can listen is found by its key", async () => {
  // The second one lacks the name of an interface, for which machines have codes of their own.
  for (const [host, sentence] of [
    ["203.0.113.1", /^203\.0\.113\.1 is no address of this machine$/],
    ["fe80::1", /^fe80::1 is no address|^no program can listen at fe80::1: this machine says E/],
  ] as const)
    expect(await unusableApiPort(configWith(host, 18_443), undefined, {})).toEqual([
      { path: ["services", "api", "host"], sentence: expect.stringMatching(sentence) },
    ]);
});

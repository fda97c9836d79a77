import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildProxies } from "../../../../../lib/runtime/docker/build-proxies.ts";
import type { EngineAddress } from "../../../../../lib/runtime/docker/find-engine.ts";

const socket: EngineAddress = {
  ...{ by: "DOCKER_HOST", tried: [], kind: "socket" },
  ...{ path: "/run/docker.sock", isForwarded: false },
};
const host: EngineAddress = {
  ...{ by: "DOCKER_HOST", tried: [], kind: "host" },
  ...{ host: "tcp://10.0.0.1:2375", tls: undefined },
};

async function proxiesBy(config: string, address: EngineAddress = socket) {
  const path = await mkdtemp(join(tmpdir(), "sett-proxies-"));
  await writeFile(join(path, "config.json"), config);
  const proxies = await buildProxies(address, { DOCKER_CONFIG: path, HTTP_PROXY: "http://own:1" });
  await rm(path, { recursive: true });
  return proxies;
}

test("a build has the proxies of docker's settings, in both spellings, and those of its Engine first", async () => {
  const config = JSON.stringify({
    proxies: {
      default: { httpProxy: "http://a:1", HttpsProxy: "http://b:2", noProxy: "x,y", ftpProxy: "" },
      "tcp://10.0.0.1:2375": { allProxy: "socks5://c:3" },
    },
  });
  expect(await proxiesBy(config)).toEqual({
    ...{ HTTP_PROXY: "http://a:1", http_proxy: "http://a:1" },
    ...{ HTTPS_PROXY: "http://b:2", https_proxy: "http://b:2" },
    ...{ NO_PROXY: "x,y", no_proxy: "x,y" },
  });
  const ofHost = { ALL_PROXY: "socks5://c:3", all_proxy: "socks5://c:3" };
  expect(await proxiesBy(config, host)).toEqual(ofHost);
  const ofSocket = config.replace("tcp://10.0.0.1:2375", "unix:///run/docker.sock");
  expect(await proxiesBy(ofSocket)).toEqual(ofHost);
});

test.each(["", "{", "[]", '{"proxies": 3}', '{"proxies": {"default": {"httpProxy": 5}}}'])(
  "settings that say nothing, such as %s, are no proxy",
  async (config) => {
    expect(await proxiesBy(config)).toEqual({});
  },
);

// The blackboard of an instance in a real cluster is in a Redis of others, by TLS.
import { expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { KubeClient } from "../../lib/runtime/kubernetes/client.ts";
import { findCluster } from "../../lib/runtime/kubernetes/kubeconfig.ts";
import { isNight } from "../support/nightly.ts";
import { password, startTlsServer } from "../support/redis/tls-server.ts";
import { kubeconfig, registry } from "../support/runtime/test-cluster.ts";
import { SettWorkspace, scriptAgent } from "../support/sett/sett-workspace.ts";

setDefaultTimeout(1_800_000);

/**
 * It needs a cluster that enforces policies, whose nodes pull from a registry to which this machine
 * may push, and whose API server is on this machine: its address is one that pods reach.
 */
const inCluster = test.skipIf(!isNight || kubeconfig === "");
const name = `b${randomUUID().slice(0, 6)}`;
const home = `sett-${name}`;

const settYml = (redis: string) => `version: '1.0'
images: { push: ${registry} }
services: { redis: { ${redis} } }
secrets: { redis: { environment: OPS_REDIS } }
agents:
  writer:
    build: ./agents/writer
    command: ["/app/run.sh"]
    workspace: { mode: rw }
    bids:
      - { on: GoalDefined, bid: exclusive }
`;
/** It says whether it reaches that Redis. */
const script = (address: string, port: number) => `cat > /dev/null
timeout 3 bash -c '</dev/tcp/${address}/${port}' 2>/dev/null && way=open || way=closed
jq -n --arg way "$way" '{artefact_type: "Way", artefact_payload: $way, summary: "Tried"}'
`;

inCluster(
  "a goal settles by a Redis of others, which only one pod reaches, and no object has its password",
  async () => {
    const client = new KubeClient(await findCluster({ KUBECONFIG: kubeconfig }, undefined));
    const address = new URL(client.access.server).hostname;
    await using redis = await startTlsServer({
      ...{ names: `IP:${address}`, settings: [`bind 127.0.0.1 ${address}`] },
    });
    const url = `url: "rediss://${address}:${redis.tlsPort}", ca: ./ca.pem, secret: redis`;
    await using at = await SettWorkspace.create({
      "sett.yml": settYml(url),
      ...scriptAgent("writer", script(address, redis.tlsPort)),
    });
    await copyFile(redis.ca, join(at.folder, "ca.pem"));
    await at.commit("Name the authority");
    at.env = { KUBECONFIG: kubeconfig, OPS_REDIS: password };
    await using _down = {
      [Symbol.asyncDispose]: async () =>
        void (await at.sett("down", "--name", name, "--volumes", "--force")),
    };
    const up = ["up", "--runtime", "kubernetes", "--name", name];
    await at.write({ "sett.yml": settYml(url.replace(address, "host.docker.internal")) });
    const refused = await at.sett(...up);
    expect(refused.err).toContain("write a name that both machines know");
    expect(refused.code).toBe(2);
    await at.write({ "sett.yml": settYml(url) });

    await at.need(...up);
    await at.need("forage", "--goal", "hello", "--watch");
    expect(await at.need("hoard", "--json")).toContain('"closed"');
    expect(await redis.server.cli("EXISTS", `sett:${name}:events`)).toBe("1");
    const kinds = ["Secret", "StatefulSet", "Deployment", "ConfigMap"] as const;
    const objects = JSON.stringify(
      await Promise.all(kinds.map(async (kind) => await client.list(kind, home))),
    );
    expect(objects).not.toContain(password);
    expect(objects).not.toContain(Buffer.from(password).toString("base64"));
    expect((await at.sett("backup", join(at.folder, "../x.sett"))).err).toContain("not its own");

    await redis.server.kill();
    await redis.server.start();
    await at.need("forage", "--goal", "again", "--watch");
    await at.need("down");
    await at.need("up");
    expect(JSON.parse(await at.need("hoard", "--json"))).toHaveLength(4);
    await at.need("down", "--volumes");
    expect(await redis.server.cli("KEYS", `sett:${name}:*`)).toBe("");
  },
);

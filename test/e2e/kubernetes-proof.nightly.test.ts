// The notary of an instance in a real cluster: its claim lasts, and people of this machine export
// what it has sealed, which anybody can check without the cluster.
import { expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubeClient } from "../../lib/runtime/kubernetes/client.ts";
import { findCluster } from "../../lib/runtime/kubernetes/kubeconfig.ts";
import { isNight } from "../support/nightly.ts";
import { Authority } from "../support/proof/authority.ts";
import { kubeconfig, registry } from "../support/runtime/test-cluster.ts";
import { SettWorkspace, scriptAgent } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(900_000);

/**
 * It needs a cluster that enforces policies, and whose nodes pull from a registry to which this
 * machine may push.
 */
const inCluster = test.skipIf(!isNight || kubeconfig === "");
const name = `b${randomUUID().slice(0, 6)}`;

const settYml = `version: '1.0'
images: { push: ${registry} }
proof: on
agents:
  writer:
    build: ./agents/writer
    command: ["/app/run.sh"]
    workspace: { mode: rw }
    bids:
      - { on: GoalDefined, bid: exclusive }
`;
const script = `cat > /dev/null; date > made; git add made
git -c user.name=w -c user.email=w@example.org commit --quiet --message Make >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "Made it"}'
`;

inCluster(
  "a goal of a cluster is exported, anchored, attested and checked from here, and the notary's key outlives its pod",
  async () => {
    await using at = await SettWorkspace.create({
      "sett.yml": settYml,
      ...scriptAgent("writer", script),
    });
    at.env = { KUBECONFIG: kubeconfig };
    const place = await mkdtemp(join(tmpdir(), "sett-proof-"));
    await using _end = {
      [Symbol.asyncDispose]: async () => {
        await at.sett("down", "--name", name, "--volumes", "--force");
        await rm(place, { recursive: true });
      },
    };
    await at.need("up", "--runtime", "kubernetes", "--name", name);
    const key = (await at.need("audit", "key")).trim();
    using authority = new Authority();
    using clock = authority.listen();
    const root = join(place, "root.pem");
    await writeFile(root, authority.root);
    const goal = await at.forage("make it");
    await waitFor("the goal to settle", async () => (await at.artefacts(goal)).length > 1);
    await at.need("audit", "anchor", "--tsa", clock.url);
    const bundle = join(place, "bundle.tar");
    await at.need("audit", "export", goal, "--to", bundle);
    const shown = await at.need("audit", "verify", bundle, "--key", key, "--tsa", root);
    expect(shown).toContain("nothing was changed, left out or put in between");
    expect(shown).toContain("Clock one");
    await at.need("audit", "replay", bundle);
    expect(JSON.parse(await at.need("audit", "attest", goal)).dsseEnvelope).toBeDefined();

    const client = new KubeClient(await findCluster(at.env, undefined));
    await client.remove("Pod", `sett-${name}`, `sett-${name}-notary-0`, 0);
    await at.forage("make another");
    await waitFor("the notary seals again", async () => {
      await rm(bundle, { force: true });
      const { code, out } = await at.sett("audit", "export", "--all", "--to", bundle, "--json");
      return code === 0 && JSON.parse(out).isBehind === false && JSON.parse(out).key === key;
    });
    await at.need("down");
    await at.need("up");
    expect((await at.need("audit", "key")).trim()).toBe(key);
    const all = await at.need("audit", "verify", bundle, "--key", key);
    expect(all).toContain("nothing was changed, left out or put in between");
  },
);

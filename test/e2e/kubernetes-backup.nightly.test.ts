// Moves an instance from containers of an Engine into a real cluster, and back: the same record,
// results, printed texts, sealed log and key of the notary, and nothing half-made.
import { expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { KubeClient } from "../../lib/runtime/kubernetes/client.ts";
import { findCluster } from "../../lib/runtime/kubernetes/kubeconfig.ts";
import { isNight } from "../support/nightly.ts";
import { Authority } from "../support/proof/authority.ts";
import { kubeconfig, registry } from "../support/runtime/test-cluster.ts";
import { SettWorkspace, scriptAgent } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(1_800_000);

/**
 * It needs a cluster that enforces policies, and whose nodes pull from a registry to which this
 * machine may push.
 */
const inCluster = test.skipIf(!isNight || kubeconfig === "");
const name = `b${randomUUID().slice(0, 6)}`;
const home = `sett-${name}`;

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
const script = `cat > /dev/null; echo printed-here >&2; date +%N > made; git add made
git -c user.name=w -c user.email=w@example.org commit --quiet --message Make >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "Made it"}'
`;

const Items = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

inCluster(
  "an instance moves into a cluster and back with all that it has, up or down, and no pod for its files stays",
  async () => {
    await using at = await SettWorkspace.create({
      "sett.yml": settYml,
      ...scriptAgent("writer", script),
    });
    at.env = { KUBECONFIG: kubeconfig };
    const place = await mkdtemp(join(tmpdir(), "sett-backup-"));
    await using _end = {
      [Symbol.asyncDispose]: async () => {
        await at.sett("down", "--name", name, "--volumes", "--force");
        await rm(place, { recursive: true });
      },
    };
    const file = (of: string) => join(place, `${of}.sett`);
    const client = new KubeClient(await findCluster(at.env, undefined));
    const pods = async () =>
      Items.parse(await client.list("Pod", home)).items.map(({ metadata }) => metadata.name);
    const known = async () => JSON.parse(await at.need("hoard", "--json"));
    const work = async () => await at.need("forage", "--goal", "make it", "--watch");
    const key = async () => (await at.need("audit", "key")).trim();
    using authority = new Authority();
    using clock = authority.listen();
    await writeFile(join(place, "root.pem"), authority.root);
    const verified = async () => {
      const [bundle, trust] = [join(place, `${randomUUID()}.tar`), join(place, "root.pem")];
      await at.need("audit", "export", "--all", "--to", bundle);
      return await at.need("audit", "verify", bundle, "--key", await key(), "--tsa", trust);
    };

    await at.need("up", "--name", name);
    await work();
    await at.need("audit", "anchor", "--tsa", clock.url);
    expect(await verified()).toContain("Clock one");
    const [first, firstKey] = [await known(), await key()];
    const made = first.find(({ type }: { type: string }) => type === "CodeCommit").id;
    await waitFor("the text is kept", async () =>
      (await at.sett("unearth", made, "--streams")).out.includes("printed-here"),
    );
    await at.need("backup", file("docker"));
    await at.need("down", "--volumes");

    const into = ["restore", file("docker"), "--runtime", "kubernetes"];
    await at.need(...into);
    expect(await pods()).toEqual([]);
    await at.need("up");
    expect([await known(), await key()]).toEqual([first, firstKey]);
    expect(await at.need("unearth", made, "--streams")).toContain("printed-here");
    expect(await verified()).toContain("Clock one");
    await work();
    const second = await known();
    expect((await at.sett(...into)).err).toContain("is up, or is being started or ended");
    await at.need("backup", file("up"));
    await at.need("down");
    const elsewhere = await at.sett("restore", file("up"), "--runtime", "docker");
    expect(elsewhere.err).toContain("runs in a cluster, or its blackboard is kept there");

    await using killed = at.start("backup", file("killed"));
    await waitFor("a pod for the files", async () => (await pods()).length > 0);
    killed.signal("SIGKILL");
    await killed.exited;
    expect(await pods()).toHaveLength(1);
    await at.need("backup", file("down"));
    expect(await pods()).toEqual([]);
    expect((await at.sett("restore", file("up"))).err).toContain("has a blackboard already");
    await at.need("restore", file("up"), "--replace");
    await at.need("up");
    expect([await known(), await key()]).toEqual([second, firstKey]);
    await at.need("down", "--volumes");

    await at.need("restore", file("down"), "--runtime", "docker");
    await at.need("up");
    expect([await known(), await key()]).toEqual([second, firstKey]);
    expect(await at.need("unearth", made, "--streams")).toContain("printed-here");
    await work();
  },
);

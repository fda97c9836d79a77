// The smallest run of a whole sett in a cluster; the others are of the night.
import { expect, setDefaultTimeout, test } from "bun:test";
import { canStartCluster, startCluster } from "../support/runtime/day-cluster.ts";
import { registry } from "../support/runtime/test-cluster.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";

setDefaultTimeout(600_000);

const inCluster = test.skipIf(!canStartCluster);

const run = `#!/bin/sh
jq -r .target_artefact.payload >hello.txt
git add hello.txt
git commit --quiet --message "Write it"
jq -n --arg commit "$(git rev-parse HEAD)" \\
  '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "Wrote it"}'
`;

const settYml = `version: '1.0'
images: { push: ${registry} }
agents:
  writer:
    build: ./agents/writer
    command: ["/app/run.sh"]
    workspace: { mode: rw }
    bids: [{ on: GoalDefined, bid: exclusive }]
`;

inCluster(
  "in a cluster that enforces policies a goal comes to its commit, and nothing is left",
  async () => {
    await using cluster = await startCluster();
    await using sett = await SettWorkspace.create({
      "sett.yml": settYml,
      "agents/writer/run.sh": run,
      "agents/writer/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n",
    });
    sett.env = { KUBECONFIG: cluster.kubeconfig };
    await sett.need("up", "--runtime", "kubernetes", "--name", sett.name);
    const { id } = JSON.parse(await sett.need("forage", "--goal", "hello", "--watch", "--json"));
    const results = await sett.artefacts(id);
    const commit = results.find(({ type }) => type === "CodeCommit");
    expect(await sett.git("show", `${commit?.payload}:hello.txt`)).toBe("hello");
    expect(await sett.need("list")).toMatch(new RegExp(`${sett.name} +running +kubernetes`));
    await sett.need("down", "--volumes");
    expect(await sett.need("list")).not.toContain(sett.name);
  },
);

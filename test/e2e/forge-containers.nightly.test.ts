// The way of forge.test.ts in containers: the service of forges reads the repository of the
// machine and its exchange, gets its tokens when it runs, and keeps them over a restart.
import { expect } from "bun:test";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { MockForge } from "../support/forge/mock-forge.ts";
import { nightly } from "../support/nightly.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

const coder = `set -e
input=$(cat); word=one
case $input in *'Say two'*) word=two ;; esac
echo "$word" > door.txt && git add door.txt
git commit --quiet --message "Say $word" >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "Said it"}'`;

const settings = (port: number, token: string) => `version: '1.0'
secrets: { hub-token: { file: "${token}" } }
forges: { hub: { kind: github, url: "http://host.docker.internal:${port}", repository: acme/door, token: hub-token } }
people: { ada: { accounts: { hub: ada-l } } }
agents:
  coder:
    image: sett/agent-base:0.1.0
    command: ${JSON.stringify(["sh", "-c", coder])}
    workspace: { mode: rw }
    bids: [{ on: GoalDefined, bid: exclusive }]
  pull-request:
    forge: hub
    bids: [{ on: CodeCommit, bid: review }]
    pull_request: { base: main, checks: none, approvals: 1 }
`;

nightly(
  "in containers, a goal ends with a pull request that a person has approved, over a restart of the service",
  async () => {
    using forge = new MockForge(undefined, "0.0.0.0");
    await using at = await SettWorkspace.create();
    const token = join(forge.folder, "..", `${at.name}.token`);
    await writeFile(token, forge.token);
    await at.write({ "sett.yml": settings(forge.port, token) });
    await at.commit("Add an agent");
    await at.git("push", "--quiet", forge.folder, "HEAD:refs/heads/main");
    await at.up();
    const goal = (await at.forage("Write the door")).trim();
    const happened = async () => {
      const { out, err } = await at.look("logs", "forge", "--name", at.name);
      return `${out}${err}${(await at.look("watch", "--no-follow", "--name", at.name)).out}`;
    };
    const patience = { timeoutMs: 180_000, everyMs: 200, happened };
    await waitFor("a pull request", async () => forge.pulls[0], patience);
    const name = `sett/${goal}`;
    const first = forge.branch(name);
    // It comes back with its tokens, and makes nothing twice.
    await $`docker restart --time 20 ${`sett-${at.name}-forge`}`.quiet();
    const comments = [{ path: "door.txt", line: 1, body: "Say two." }];
    forge.review({ login: "ada-l", state: "CHANGES_REQUESTED", comments });
    await waitFor("the second version", async () => forge.branch(name) !== first, patience);
    forge.review({ login: "ada-l", state: "APPROVED" });
    await waitFor(
      "the approval",
      async () => (await at.need("report", goal)).includes("Approved at the forge by"),
      patience,
    );
    expect(forge.pulls).toHaveLength(1);
    expect(forge.pushes).toBe(2);
    const ids = (await $`docker ps -aq --filter label=dev.sett.instance=${at.name}`.text())
      .trim()
      .split("\n");
    const described = await $`docker inspect ${ids}`.text();
    expect(described).toContain("SETT_FORGES");
    expect(described).not.toContain(forge.token);
    expect(described).not.toContain(Buffer.from(forge.token).toString("base64"));
    await rm(token);
  },
  900_000,
);

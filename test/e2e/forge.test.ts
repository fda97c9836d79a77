// A result becomes a pull request by the service that `sett up` starts, and what checks and people
// say there goes back to the agent that made it.
import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MockForge } from "../support/forge/mock-forge.ts";
import { git } from "../support/git/sample-repository.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

const coder = `#!/bin/sh
set -e
input=$(cat)
word=one
case $input in *'Say two'*) word=two ;; esac
echo "$word" > door.txt
git add door.txt
git -c user.name=Coder -c user.email=coder@sett.invalid commit --quiet --message "Say $word" >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "Said it"}'
`;

const settings = (url: string) => `version: '1.0'
secrets: { hub-token: { file: ../token } }
forges: { hub: { kind: github, url: "${url}", repository: acme/door, token: hub-token } }
people: { ada: { accounts: { hub: ada-l } } }
agents:
  coder:
    image: none:1
    command: ["sh", "./coder.sh"]
    workspace: { mode: rw }
    bids: [{ on: GoalDefined, bid: exclusive }]
  pull-request:
    forge: hub
    bids: [{ on: CodeCommit, bid: review }]
    pull_request: { base: main, checks: none, approvals: 1 }
`;

test("a goal ends with a pull request that a person has reviewed twice and approved at the forge", async () => {
  using forge = new MockForge();
  await using at = await ProcessSett.create(settings(forge.url), { "coder.sh": coder });
  await writeFile(join(at.root, "token"), forge.token);
  git(at.folder, "push", "--quiet", forge.folder, "HEAD:refs/heads/main");
  await at.up();
  const goal = (await at.need("forage", "--goal", "Write the door", "--name", at.name)).trim();
  const happened = async () => {
    const { out: stdout, err: stderr } = await at.look("logs", "forge", "--name", at.name);
    const watched = await at.look("watch", "--no-follow", "--name", at.name);
    return `${stdout}${stderr}${watched.out}${watched.err}`;
  };
  const patience = { timeoutMs: 120_000, everyMs: 100, happened };
  const pull = await waitFor("a pull request", async () => forge.pulls[0], patience);
  expect(pull.title).toBe("Write the door");
  const first = forge.branch(`sett/${goal}`);
  const comments = [{ path: "door.txt", line: 1, body: "Say two." }];
  forge.review({ login: "ada-l", state: "CHANGES_REQUESTED", comments });
  await waitFor("the second version", async () => forge.branch(`sett/${goal}`) !== first, patience);
  forge.review({ login: "ada-l", state: "APPROVED" });
  const report = await waitFor(
    "the approval",
    async () => {
      const { out: stdout } = await at.look("report", goal, "--name", at.name);
      return stdout.includes("Approved at the forge by") && stdout;
    },
    patience,
  );
  expect(git(forge.folder, "show", `sett/${goal}:door.txt`)).toBe("two");
  expect(forge.pulls).toHaveLength(1);
  expect(report).toContain("Approved at the forge by ada (ada-l). No check counts.");
  const log = ["watch", "--no-follow", "--output", "jsonl", "--name", at.name];
  expect(await at.need(...log)).not.toContain(forge.token);
}, 480_000);

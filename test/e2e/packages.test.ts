// Agents of packages, in containers: a folder whose CLI is a script behind the adapter of the base
// image, and one of Sett's own. ready-agents.nightly has real coding CLIs.
import { expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

const settings = `version: '1.0'
agents:
  coder: { use: ./robot, workspace: { mode: rw } }
  lint:
    use: shell
    environment: { COMMAND: cat greeting.txt }
    bids: [{ on: CodeCommit, bid: claim }]
`;
const files = {
  "sett.yml": settings,
  "robot/agent.yml": `version: '1.0'
about: writes greetings
command: [run-cli, /app/robot.sh]
bids: [{ on: GoalDefined, bid: exclusive }]
workspace: { mode: rw }
`,
  "robot/Dockerfile": "FROM sett/agent-base:latest\nCOPY robot.sh /app/\n",
  // The base image has ripgrep, which models call.
  "robot/robot.sh": '#!/bin/sh\nrg --only-matching "hello .*" "$1" > greeting.txt\n',
};

test("a folder and one of Sett's own work as agents; what they are is on record, and to be committed", async () => {
  await using sett = await SettWorkspace.create(files);
  const up = await sett.sett("up", "--name", sett.name);
  expect({ code: up.code, err: up.code === 0 ? "" : up.err }).toEqual({ code: 0, err: "" });
  expect(up.err).toContain("sett.lock is written: look at it, and commit it");
  const early = await sett.sett("forage", "--goal", "hello world");
  expect([early.code, early.err]).toEqual([1, expect.stringContaining("sett.lock")]);
  await sett.commit("Keep what the packages are");

  const goal = await sett.forage("hello world");
  const find = async () =>
    (await sett.artefacts(goal)).find(({ type }) => !["GoalDefined", "CodeCommit"].includes(type));
  const report = await waitFor("the report on the commit", find, { everyMs: 200 });
  expect(report).toMatchObject({ type: "Report", payload: "hello world\n" });
  const lock = await readFile(join(sett.folder, "sett.lock"), "utf8");
  const [, digest = ""] = /shell:\n {4}digest: (\S+)/.exec(lock) ?? [];
  expect(digest).toStartWith("sha256:");
});

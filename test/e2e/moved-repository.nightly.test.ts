// A person renames the folder of a repository: its instance goes on there, with its blackboard.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { rename } from "node:fs/promises";
import { $ } from "bun";
import { finished } from "../support/cli/finished.ts";
import { settBinary } from "../support/process/compiled.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";

setDefaultTimeout(600_000);

const settings = `version: '1.0'
agents:
  echo:
    image: sett/agent-base:latest
    command: ["sh", "-c", "jq '{artefact_type: \\"Echo\\", artefact_payload: .target_artefact.payload, structural_type: \\"Terminal\\", summary: \\"\\"}'"]
    bids: [{ on: GoalDefined, bid: exclusive }]
`;

let sett: SettWorkspace;
let folder: string;

beforeAll(async () => {
  sett = await SettWorkspace.create({ "sett.yml": settings });
  folder = sett.folder;
});

afterAll(async () => {
  await rename(`${sett.folder}-moved`, sett.folder).catch(() => undefined);
  await sett?.[Symbol.asyncDispose]();
});

/** `sett` in this folder, without the name of the instance. */
async function inFolder(cwd: string, ...args: string[]) {
  return await finished(
    Bun.spawn([settBinary, ...args], {
      cwd,
      env: process.env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    }),
  );
}

test("up in the new folder goes on with the instance, running or down", async () => {
  await sett.need("up", "--name", sett.name);
  const goal = await sett.forage("hello");
  const moved = `${folder}-moved`;

  await rename(folder, moved);
  const running = await inFolder(moved, "up");
  expect(running.err).toContain(`This is ${sett.name}, the instance of this repository.`);
  expect(running.code).toBe(0);
  expect((await inFolder(moved, "hoard")).out).toContain(goal.slice(0, 8));

  await rename(moved, folder);
  expect((await inFolder(folder, "up")).code).toBe(0);
  await sett.need("down", "--timeout", "1s");
  await rename(folder, moved);
  const down = await inFolder(moved, "up");
  expect(down.err).toContain(
    `This is ${sett.name}, whose blackboard was kept for this repository.`,
  );
  expect(down.err).not.toContain("is new, and empty");
  expect(down.code).toBe(0);
  expect((await inFolder(moved, "hoard")).out).toContain(goal.slice(0, 8));

  // Others say where it was, and down takes it from where it is, with its results.
  await rename(moved, folder);
  expect((await inFolder(folder, "status")).err).toContain("which was at");
  const removed = await inFolder(folder, "down", "--volumes", "--timeout", "1s");
  expect(removed.err).toContain(`${sett.name} is removed, with its blackboard.`);
  expect(removed.err).not.toContain("cannot be used");
  const refs = await $`git for-each-ref refs/sett && git config --get-regexp ^sett`
    .cwd(folder)
    .nothrow()
    .text();
  expect(refs).toBe("");
});

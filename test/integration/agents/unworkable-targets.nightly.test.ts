// Work that no agent of the release train can do anything with: one sentence, exit code 1, and
// nothing on stdout.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { type ReleaseScene, releaseScene } from "../../support/agents/release-scene.ts";
import { git, runAgent } from "../../support/agents/run-agent.ts";
import { sampleArtefact } from "../../support/records/sample.ts";

setDefaultTimeout(600_000);

let scene: ReleaseScene;
let folder: string;
let head: string;
beforeAll(async () => {
  scene = await releaseScene();
  head = await git(scene.sample, "rev-parse", "HEAD");
  folder = await mkdtemp(join(tmpdir(), "sett agents "));
  await git(folder, "init", "-q", "empty");
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await scene[Symbol.asyncDispose]();
});

const commit = (payload: string) =>
  sampleArtefact({ type: "CodeCommit", payload, metadata: { version: "1.2.0" } });

async function refusalOf(
  agent: string,
  work: string | { target?: Artefact; chain?: unknown[] },
  place: string,
): Promise<string> {
  const { target, chain = [scene.goal] } = typeof work === "string" ? {} : work;
  const stdin =
    typeof work === "string"
      ? work
      : { target_artefact: target, context_chain: chain, additional_context: [] };
  const { exitCode, stdout, stderr } = await runAgent(agent, stdin, place);
  expect([exitCode, stdout]).toEqual([1, ""]);
  const [sentence = "", ...more] = stderr.trim().split("\n");
  expect(more).toEqual([]);
  return sentence;
}

const agents = ["reviewer", "tester", "licences", "secrets", "packager"];

describe.each(agents)("%s", (agent) => {
  test("gets no CodeCommit", async () => {
    for (const work of ["", "{", "[]", "null", '"text"', "{}", { target: scene.goal }])
      expect(await refusalOf(agent, work, scene.sample)).toStartWith(
        `${agent}: there is no CodeCommit`,
      );
  });

  test("is outside of any repository", async () => {
    expect(await refusalOf(agent, { target: commit(head) }, folder)).toBe(
      `${agent}: git finds no repository here`,
    );
  });

  test("is in an empty repository, or in one that lacks the commit", async () => {
    expect(await refusalOf(agent, { target: commit(head) }, join(folder, "empty"))).toContain(
      `the commit ${head} is not in this repository`,
    );
    expect(await refusalOf(agent, { target: commit("0".repeat(40)) }, scene.sample)).toContain(
      "is not in this repository",
    );
  });

  test("is given a payload that is no commit", async () => {
    for (const payload of ["", "HEAD", "--help", "main", "-1", "cafe\nbabe", "$(reboot)"])
      expect(await refusalOf(agent, { target: commit(payload) }, scene.sample)).toBe(
        `${agent}: the payload of the CodeCommit is not a commit`,
      );
  });
});

describe.each(["reviewer", "secrets", "packager"])("%s", (agent) => {
  test("finds no goal in the context", async () => {
    for (const chain of [[], [sampleArtefact({ type: "Review" })]])
      expect(await refusalOf(agent, { target: commit(head), chain }, scene.sample)).toStartWith(
        `${agent}: there is no goal (GoalDefined)`,
      );
  });
});

test.each(["reviewer", "secrets"])(
  "%s gets a last tag whose commit is not there",
  async (agent) => {
    const goal = {
      ...scene.goal,
      metadata: { ...scene.goal.metadata, last_tag_commit: "0".repeat(40) },
    };
    expect(await refusalOf(agent, { target: commit(head), chain: [goal] }, scene.sample)).toMatch(
      /the commit 0+.* is not in this repository$/,
    );
  },
);

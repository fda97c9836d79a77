// A clan that does a little of everything, for what is about the views themselves: a reviewed and
// reworked commit, reports, a question, an approval with a diff, a failure, and work that does not
// end.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { openRepository } from "../../../apps/api/repository.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { outputMessage } from "../../../lib/model/output-line.ts";
import { newArtefactId, sampleArtefact } from "../records/sample.ts";
import { waitFor } from "../wait-for.ts";
import type { Clan, Member } from "../world/clan.ts";
import { CubLog } from "./cub-log.ts";
import { startPageScene } from "./page-scene.ts";

const bid = (on: string, word: "review" | "claim" | "exclusive") => ({ bids: [{ on, bid: word }] });
const report = (type: string, summary: string, payload = '{"passed":41,"failed":0}') => ({
  artefact_type: type,
  artefact_payload: payload,
  summary,
});
const forEver = (_: unknown, signal: AbortSignal) =>
  new Promise((end) => signal.addEventListener("abort", end));

const members: Record<string, Member> = {
  changelog: {
    ...bid("GoalDefined", "exclusive"),
    tool: ({ target_artefact }) =>
      report(
        "ChangelogDraft",
        target_artefact.type === "GoalDefined"
          ? "Write the changelog of 1.2.0"
          : "Add the date, and two commits",
        "## 1.2.0\n\n- A command that greets",
      ),
  },
  reviewer: {
    ...bid("ChangelogDraft", "review"),
    tool: ({ target_artefact }) => ({
      structural_type: "Review",
      artefact_type: "Review",
      artefact_payload:
        target_artefact.version === 1
          ? '{"problems":["The entry lacks a date","Two commits are missing"]}'
          : "{}",
      summary: target_artefact.version === 1 ? "2 problems in CHANGELOG.md" : "Approved",
    }),
  },
  tester: {
    ...bid("ChangelogDraft", "claim"),
    tool: () => report("TestReport", "41 tests passed"),
  },
  licences: {
    ...bid("ChangelogDraft", "claim"),
    tool: () => report("LicenceReport", "12 dependencies, all permissive"),
  },
  // The page says of it that it merges onto a lane, which it never ends.
  packager: { lane: "main", ...bid("ChangelogDraft", "exclusive"), tool: forEver },
  planner: {
    ...bid("Idea", "exclusive"),
    tool: () => ({
      structural_type: "Question",
      artefact_type: "Question",
      artefact_payload: "Which database is the plan for: PostgreSQL or SQLite?",
      summary: "",
    }),
  },
  linter: {
    ...bid("Broken", "exclusive"),
    tool: () => new Error("The configuration names a rule that does not exist."),
  },
  maintainer: { human: true, ...bid("CodeCommit", "review") },
};

/**
 * `release`: reworked once, and still packed. `commit`: waits for the maintainer, with a diff.
 * `failed`: its only agent fails.
 */
export type SampleGoals = {
  release: Artefact;
  commit: Artefact;
  question: Artefact;
  failed: Artefact;
};

/** `packing`: the claim and the agent of the work that does not end. */
export async function startSampleScene(folder: string) {
  const { base, head } = await sampleRepository(folder);
  const cubLog = new CubLog("packager");
  const scene = await startPageScene(
    members,
    {},
    { repository: await openRepository(folder, process.env), logs: cubLog },
  );
  const goals = await stateGoals(scene.clan, base, head);
  const open = await scene.clan.board.readClaims(await scene.clan.board.listOpenClaims());
  const claim_id = open.find(({ grants }) => grants.some(({ agent }) => agent === "packager"))
    ?.claim.id;
  const of = { goal_id: goals.release.id, claim_id, attempt: 1, stream: "stderr" };
  for (const text of ["npm pack\n", "packing sett-1.2.0.tgz\n"])
    cubLog.log.info(outputMessage, { ...of, text });
  return Object.assign(scene, { goals, packing: `${claim_id} packager` });
}

async function stateGoals(clan: Clan, base: CommitHash, head: CommitHash): Promise<SampleGoals> {
  const stated = (text: string, type = "GoalDefined") =>
    clan.postGoal(text, { type, metadata: { summary: text, commit: base } });
  const failed = await stated("Lint the whole repository", "Broken");
  const question = await stated("A plan for the store", "Idea");
  const release = await stated("Release 1.2.0");
  const change = await stated("Greet people by name", "Change");
  const commit = sampleArtefact({
    ...{
      id: newArtefactId(),
      goal_id: change.goal_id,
      source_artefacts: [change.id],
      type: "CodeCommit",
      payload: head,
    },
    ...{
      produced_by_role: "coder",
      produced_by_agent: "coder",
      metadata: { summary: "Greet a person by name", commit: head },
    },
  });
  await clan.board.createArtefact(commit, "person:test");
  const artefactsOf = async (goal: Artefact) => (await clan.artefactsOf(goal)).length;
  await waitFor("the clan to be at work", async () => {
    const [open, questions] = await Promise.all([
      clan.board.listOpenClaims(),
      clan.board.listOpenQuestions(),
    ]);
    const claims = await clan.board.readClaims(open);
    const isWaiting = claims.some(({ grants }) =>
      grants.some(({ state, agent }) => state === "waiting" && agent === "maintainer"),
    );
    const isPacking = claims.some(({ grants }) =>
      grants.some(({ state, agent }) => state === "running" && agent === "packager"),
    );
    return isWaiting && isPacking && questions.length === 1 && (await artefactsOf(failed)) === 2;
  });
  return { release, commit, question, failed };
}

async function sampleRepository(folder: string): Promise<{ base: CommitHash; head: CommitHash }> {
  const write = async (files: Record<string, string>, subject: string) => {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    await $`git add -A && git commit --quiet -m ${subject}`.cwd(folder);
    return CommitHash.parse((await $`git rev-parse HEAD`.cwd(folder).text()).trim());
  };
  await $`git init --quiet --initial-branch=main && git config user.name Ada && git config user.email ada@sett.invalid`.cwd(
    folder,
  );
  const base = await write(
    { "CHANGELOG.md": "# Changelog\n\n## 1.1.0\n\n- The first relase\n", "src/greet.ts": before },
    "Begin",
  );
  const changelog =
    "# Changelog\n\n## 1.2.0\n\n- A command that greets people by name\n\n## 1.1.0\n\n- The first release\n";
  const head = await write(
    { "CHANGELOG.md": changelog, "src/greet.ts": after, "src/greet.test.ts": tests },
    "Greet a person by name",
  );
  return { base, head };
}

const before = `// Greets the world.
export function greet(): string {
  return "Hello, world";
}
`;
const after = `// Greets a person by name.
const maxTimes = 10;

export function greet(name: string, times = 1): string {
  if (times > maxTimes) throw new RangeError(\`too often: \${times}\`);
  return Array.from({ length: times }, () => \`Hello, \${name}\`).join("\\n");
}
`;
const tests = `import { expect, test } from "bun:test";
import { greet } from "./greet.ts";

test("a person is greeted by name", () => {
  expect(greet("Ada")).toBe("Hello, Ada");
});
`;

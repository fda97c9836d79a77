// A clan in memory that does what a real one does, slowly enough to be watched, and a page on it: `bun test/support/page/played-scene.ts`.

import { buildPage } from "../../../.ci/page.ts";
import { newArtefactId, sampleArtefact } from "../records/sample.ts";
import type { Member } from "../world/clan.ts";
import { memoryClan } from "../world/memory-clan.ts";
import { playedApi } from "./played-api.ts";

const commit = (digit: string) => digit.repeat(40);
const diffs = new Map(["a", "b", "c"].map((digit) => [commit(digit), sampleDiff()]));
const slow = Number(process.env.SLOW ?? 1);
const later = (ms: number) => Bun.sleep(ms * slow);

const members: Record<string, Member> = {
  changelog: {
    bids: [{ on: "GoalDefined", bid: "exclusive" }],
    tool: async ({ claim_type, target_artefact }) => {
      await later(2_000);
      if (target_artefact.payload.includes("fail")) throw new Error("boom");
      const version = target_artefact.type === "CodeCommit" ? "b" : "a";
      void claim_type;
      return {
        artefact_type: "CodeCommit",
        artefact_payload: commit(version),
        summary: "Raise the version to 1.2.0 and write its changelog",
      };
    },
  },
  reviewer: {
    bids: [{ on: "CodeCommit", bid: "review" }],
    tool: async ({ target_artefact }) => {
      await later(1_500);
      const isGood = target_artefact.version > 1;
      return {
        structural_type: "Review",
        artefact_type: "Review",
        artefact_payload: isGood ? "{}" : '{"problems":["The entry for 1.2.0 lacks a date","Two commits are missing"]}',
        summary: isGood ? "Approved" : "2 problems in CHANGELOG.md",
      };
    },
  },
  maintainer: { human: true, bids: [{ on: "Plan", bid: "review" }] },
  ...Object.fromEntries(
    ["tester", "licences", "secrets"].map((name, at): [string, Member] => [
      name,
      {
        bids: [{ on: "CodeCommit", bid: "claim" }],
        tool: async () => (
          await later(2_000 + 1_500 * at),
          {
            artefact_type: `${name[0]?.toUpperCase()}${name.slice(1)}Report`,
            artefact_payload: JSON.stringify({ passed: 41, failed: 0, took_ms: 1234 }),
            summary: `${name}: nothing found`,
          }
        ),
      },
    ]),
  ),
  packager: {
    bids: [{ on: "CodeCommit", bid: "exclusive" }],
    tool: async () => (
      await later(2_000),
      { structural_type: "Terminal", artefact_type: "Release", artefact_payload: "{}", summary: "Packed sample-1.2.0.tar.gz" }
    ),
  },
  planner: {
    bids: [{ on: "Idea", bid: "exclusive" }],
    tool: async ({ context_chain, target_artefact }) => {
      await later(500);
      const answered = JSON.stringify(context_chain).includes('"Answer"');
      if (!answered && target_artefact.payload.includes("which"))
        return {
          structural_type: "Question",
          artefact_type: "Question",
          artefact_payload:
            "Which of the two databases do you want the plan for: PostgreSQL or SQLite?\n\nBoth are in use in the repository.",
          summary: "Which database?",
        };
      return {
        artefact_type: "Plan",
        artefact_payload: "# Plan\n\n1. Write the migration\n2. Run it twice",
        summary: "Migrate the store in two steps",
      };
    },
  },
};

if (import.meta.main) {
  await using clan = await memoryClan({ artefacts_per_goal: 100_000 });
  await clan.join(members);
  await clan.startOrchestrator();
  const pack = await Bun.file(await buildPage()).text();
  const app = playedApi(clan.board, pack, diffs);
  const server = Bun.serve({ port: Number(process.env.PORT ?? 4600), fetch: app.fetch, idleTimeout: 0 });
  console.log(`http://localhost:${server.port}/`);
  await clan.postGoal("Release 1.2.0", { metadata: { summary: "Release 1.2.0" } });
  await clan.postGoal("A plan: which database?", { type: "Idea", metadata: { summary: "A plan: which database?" } });
  await clan.postGoal("A plan for the store", { type: "Idea", metadata: { summary: "A plan for the store" } });
  const hostile =
    "<script>document.title='pwned'</script><img src=x onerror=alert(1)> \u001b[31mred\u001b[0m \u202eevil\u202c \u200bzero";
  const goal = await clan.postGoal(`${hostile}\n${"A long line. ".repeat(60)}\nfail`, { metadata: { summary: hostile } });
  void goal;
  if (process.env.MANY) {
    const many = sampleArtefact({ payload: "Many", type: "Many", metadata: { summary: "10 000 artefacts" } });
    await clan.board.createArtefact(many, "person:test");
    const recent = [many];
    for (let index = 0; index < Number(process.env.MANY); index++) {
      const from = recent[Math.floor(Math.random() * Math.min(recent.length, 60)) + Math.max(0, recent.length - 60)] ?? many;
      const isVersion = index % 9 === 4 && from.type === "Result";
      const id = newArtefactId();
      const one = sampleArtefact({
        id,
        goal_id: many.goal_id,
        logical_id: isVersion ? from.logical_id : sampleArtefact({ id }).logical_id,
        version: isVersion ? from.version + 1 : 1,
        type: "Result",
        structural_type: index % 7 === 0 ? "Review" : "Standard",
        payload: index % 14 === 0 ? "{}" : `{"n":${index}}`,
        source_artefacts: [from.id],
        metadata: { summary: `Result ${index}` },
        produced_by_agent: "tester",
        produced_by_role: "tester",
      });
      const { outcome } = await clan.board.createArtefact(one, "person:test");
      if (outcome !== "refused") recent.push(one);
    }
    console.log(`many: #/goals/${many.id}`);
  }
  await new Promise(() => undefined);
}

function sampleDiff(): string {
  return `diff --git a/CHANGELOG.md b/CHANGELOG.md
index 111..222 100644
--- a/CHANGELOG.md
+++ b/CHANGELOG.md
@@ -1,5 +1,12 @@
 # Changelog

+## 1.2.0 - 2026-11-24
+
+### Added
+
+- A command that greets
+- \u202eA line that would turn\u202c
+
 ## 1.1.0

-- The first relase
+- The first release
diff --git a/src/greet.ts b/src/greet.ts
new file mode 100644
index 000..333
--- /dev/null
+++ b/src/greet.ts
@@ -0,0 +1,6 @@
+// Greets a person by name.
+export function greet(name: string, times = 1): string {
+  const words = ["Hello", name];
+  if (times > 10) throw new Error(\`too often: \${times}\`);
+  return words.join(", ").repeat(times);
+}
`;
}

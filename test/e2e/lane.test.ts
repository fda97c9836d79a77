// A lane: two goals whose results conflict, and a gate that fails only on what both come to. The
// agents are processes.
import { expect, test } from "bun:test";
import type { Artefact } from "../../lib/model/artefact.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

/**
 * Adds the goal's word to `list`. Where the word is there already, the gate has failed: it adds
 * `both`, for which the gate looks.
 */
const coder = `set -e
word=$(jq -r '[.context_chain[], .target_artefact] | map(select(.type == "GoalDefined"))[0].payload')
if grep -qx "$word" list; then touch both; else echo "$word" >> list; fi
git add -A && git commit -q -m "Write $word" >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "Words"}'`;

const gate =
  '[ "$(wc -l < list)" -lt 3 ] || [ -e both ] || { echo "both is missing" >&2; exit 3; }';

const settings = `version: '1.0'
agents:
  coder:
    image: none:1
    command: ${JSON.stringify(["sh", "-c", coder])}
    workspace: { mode: rw }
    bids: [{ on: GoalDefined, bid: exclusive }]
  merge:
    image: none:1
    lane: main
    merge: { gates: [${JSON.stringify(["sh", "-c", gate])}] }
    bids: [{ on: CodeCommit, bid: exclusive }]
`;

test("a conflict and a red gate go back to the producer, the lane has both goals in the end, and sett merge takes them over", async () => {
  await using at = await ProcessSett.create(settings, { list: "begin\n" });
  await at.up();
  const start = await at.git("rev-parse", "HEAD");
  const post = async (goal: string) => (await at.need("forage", "--goal", goal)).trim();
  const goals = [await post("one"), await post("two")].map((out) => out.split("\n").at(-1) ?? "");
  const artefactsOf = async (goal: string): Promise<Artefact[]> =>
    JSON.parse(await at.need("hoard", "--json", "--goal", goal));
  const isDone = async (goal: string) =>
    (await artefactsOf(goal)).some(({ type, structural_type }) =>
      ["Landed", "Failure"].includes(type === "Landed" ? type : structural_type),
    );
  await waitFor(
    "both goals to land",
    async () => (await Promise.all(goals.map(isDone))).every(Boolean),
    {
      timeoutMs: 240_000,
    },
  );
  expect(await at.need("status", "--name", at.name)).toContain("lane main (merge): merges nothing");

  const all = (await Promise.all(goals.map(artefactsOf))).flat();
  const landed = all.filter(({ type }) => type === "Landed");
  expect(landed.map(({ metadata }) => metadata.onto).toSorted()).toEqual(
    ["", landed.find(({ metadata }) => metadata.onto === "")?.payload ?? ""].toSorted(),
  );
  const reviews = all.filter(({ structural_type }) => structural_type === "Review");
  expect(reviews.map(({ produced_by_agent }) => produced_by_agent)).toEqual(["merge", "merge"]);
  expect(reviews.map(({ payload }) => payload).join("\n")).toMatch(
    /conflicts with the tip of the lane main[\s\S]*"file":"list"[\s\S]*fails on the merge[\s\S]*both is missing/,
  );
  const versions = all.filter(({ type }) => type === "CodeCommit").map(({ version }) => version);
  expect(versions.toSorted()).toEqual([1, 1, 2, 3]);

  const tip = `refs/sett/${at.name}/lanes/main`;
  expect((await at.git("show", `${tip}:list`)).split("\n").toSorted()).toEqual([
    "begin",
    "one",
    "two",
  ]);
  expect(await at.git("ls-tree", "--name-only", tip, "both")).toBe("both");
  const { agents } = JSON.parse(await at.need("status", "--json"));
  const commit = await at.git("rev-parse", tip);
  expect(agents.find(({ name }: { name: string }) => name === "merge").lane).toEqual({
    ...{ name: "main", agent: "merge", tip: commit, merges: null, next: [], blocked: [] },
  });
  // The messages of the lane itself are from the record.
  for (const { id } of landed) {
    const shown = await at.need("unearth", id);
    expect(shown).toContain(" since ");
    expect(shown).not.toMatch(/may pass for|another author/);
  }
  const merged = JSON.parse(await at.need("merge", "--lane", "main", "--yes", "--json"));
  expect(merged).toMatchObject({
    ...{ lane: "main", branch: "main", already: [] },
    merged: [{ commit, outcome: "merged" }],
  });
  expect(await at.git("rev-parse", "HEAD^2")).toBe(commit);
  const trailer = (key: string) => `--format=%(trailers:key=${key},valueonly)`;
  const named = (await at.git("log", "-1", trailer("Sett-Artefact"))).split("\n");
  expect(named.toSorted()).toEqual(landed.map(({ id }) => String(id)).toSorted());
  // Each goal of it is known to be there, too.
  for (const goal of goals) await at.need("merge", goal, "--yes");
  await at.need("merge", "--lane", "main", "--yes");
  expect(await at.git("rev-parse", "HEAD^2")).toBe(commit);

  // The one that landed first is built on; the other one is taken back, by a commit that lands.
  const [first, last] = landed.toSorted(
    (one, other) => String(one.metadata.onto).length - String(other.metadata.onto).length,
  );
  if (first === undefined || last === undefined) throw new Error("Nothing has landed");
  const refused = await at.sett("revert", first.goal_id);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("git revert -m 1")]);
  const revert = JSON.parse(await at.need("revert", last.goal_id, "--json"));
  expect(revert).toMatchObject({ goal: last.goal_id, lane: "main", reverts: [commit] });
  const lands = async () =>
    (await artefactsOf(last.goal_id)).find(({ metadata }) => metadata.merged === revert.commit);
  const back = await waitFor("the revert to land", lands, { timeoutMs: 240_000 });
  expect(back).toMatchObject({ type: "Landed", metadata: { onto: commit } });
  expect(await at.git("show", "--no-patch", "--format=%an|%P", revert.commit)).toBe(
    `Ada Lovelace|${commit}`,
  );
  await at.need("hoard");
  expect(await at.git("diff", "--name-only", first.payload, tip)).toBe("");
  // Everything that tells of the goal says that it was taken back, by whom, and from where.
  expect(back.metadata).toMatchObject({
    summary: "Took the goal back from the lane main, as Ada Lovelace asked",
    reverted_by: "Ada Lovelace <ada@sett.invalid>",
  });
  const said = "reverted from the lane main by Ada Lovelace";
  expect(await at.need("status", "--goal", last.goal_id)).toContain(said);
  expect(await at.need("report", last.goal_id)).toMatch(/reverted \| from the lane main by `Ada L/);
  const story = JSON.parse(await at.need("report", last.goal_id, "--format", "json"));
  expect(story.result).toMatchObject({
    ...{ state: "achieved", commits: [], merge: null },
    reverts: [{ lane: "main", by: "Ada Lovelace <ada@sett.invalid>", artefact: back.id }],
  });
  const unmerged = await at.sett("merge", last.goal_id, "--yes");
  expect([unmerged.code, unmerged.err]).toEqual([1, expect.stringContaining(`was ${said}`)]);
  expect(unmerged.err).toContain("merge --lane main");
  const again = await at.sett("revert", last.goal_id);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("has nothing of Goal")]);

  const firstParents = (await at.git("rev-list", "--first-parent", tip)).split("\n");
  expect(firstParents).toHaveLength(4);
  expect(firstParents.at(-1)).toBe(start);
}, 600_000);

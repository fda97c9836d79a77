// `sett why` tells the same of an instance, of a bundle and of an archive.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { chooseGoals } from "../../../apps/cli/prune/choose.ts";
import type { Story } from "../../../lib/core/story.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import { bids, report, Sett } from "../../support/cli/sett.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { exportedLog } from "../../support/proof/exported-log.ts";
import { derived } from "../../support/records/lineage.ts";
import { waitFor } from "../../support/wait-for.ts";

const image = "sha256:4f1c";
const commit = "ab12cd34".repeat(5);
let at: Workspace;
let outside: string;
let clan: Sett;
let goal: Artefact;
let [first, second, posted]: (Artefact | undefined)[] = [];

beforeAll(async () => {
  at = await Workspace.create();
  outside = await mkdtemp(join(tmpdir(), "sett-why-"));
  await $`ssh-keygen -q -t ed25519 -N "" -C "" -f ada`.cwd(outside).quiet();
  let runs = 0;
  clan = await Sett.start(at, {
    writer: {
      ...{ ...bids({ on: "GoalDefined", bid: "exclusive" }), image },
      tool: () => {
        runs += 1;
        if (runs > 1) return report("Draft");
        return report("Tone", { structural_type: "Question", artefact_payload: "In which tone?" });
      },
    },
    checker: {
      ...bids({ on: "Draft", bid: "review" }),
      tool: () => report("Review", { structural_type: "Review", artefact_payload: "{}" }),
    },
    owner: { human: true, ...bids({ on: "Draft", bid: "review" }) },
  });
  goal = await clan.goal("Write it");
  const isDraft = (version: number) => (one: Artefact) =>
    one.type === "Draft" && one.version === version;
  const question = await clan.made(goal, ({ type }) => type === "Tone");
  await waitFor("the question", async () => (await clan.board.listOpenQuestions()).length === 1);
  await clan.need("answer", question.id, "Plainly");
  first = await clan.made(goal, isDraft(1));
  await clan.grant(first, "owner", "waiting");
  await clan.need("reject", first.id, "--reason", "Too long");
  second = await clan.made(goal, isDraft(2));
  await clan.grant(second, "owner", "waiting");
  await clan.grant(second, "checker", "done");
  await clan.need("approve", second.id, "--sign-with", join(outside, "ada"));
  await clan.grant(second, "owner", "done");
  posted = derived([goal], { type: "Patch", metadata: { summary: "By hand", commit } as never });
  await clan.board.createArtefact(posted, "person:Ada Lovelace <ada@sett.invalid>");
}, 200_000);

afterAll(async () => {
  await clan[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
  await rm(outside, { recursive: true });
});

const storyOf = async (...words: string[]): Promise<Story> =>
  JSON.parse(await clan.need("why", ...words, "--json"));

test("of an artefact is shown who asked, the review, the bids, the grant and its image, the inputs, and what others say", async () => {
  const rejection = { by: "person:Ada Lovelace <ada@sett.invalid>", words: "Too long" };
  expect(await storyOf(second?.id.slice(0, 8) ?? "")).toMatchObject({
    artefact: { id: second?.id, version: 2, by: "agent:writer", commit: null },
    goal: { id: goal.id, text: "Write it", by: "person:test" },
    because: { about: { id: first?.id }, cause: "rework:1", rejections: [rejection], answers: [] },
    grant: { agent: "writer", phase: "exclusive", attempt: 1, image },
    inputs: expect.arrayContaining([expect.objectContaining({ type: "Review" })]),
    calls: { count: 0 },
    sealed: null,
  });
  const text = await clan.need("why", second?.id ?? "");
  expect(text.split("\n").length).toBeLessThan(13);
  expect(text).toStartWith(`Draft ${second?.id.slice(0, 8)}, version 2 by writer, 20`);
  expect(text).toMatch(/^ {2}asked {3}test, .*: “Write it”$/m);
  expect(text).toMatch(
    /^ {2}because Draft \w{8} by writer was sent back; Ada Lovelace for owner rejects, .*: “Too long”$/m,
  );
  expect(text).toMatch(/^ {2}review {2}checker approves, /m);
  expect(text).toMatch(/^ {2}review {2}Ada Lovelace for owner approves, .*, signed as approval$/m);
});

test("a commit by which a person has merged a result means that result", async () => {
  const message = `Write it\n\nSett-Goal: ${goal.id}\nSett-Artefact: ${second?.id}`;
  await at.git("commit", "--quiet", "--allow-empty", "--message", message);
  const head = await at.git("rev-parse", "HEAD");
  expect((await storyOf(head)).artefact.id).toBe(String(second?.id));
  expect((await storyOf(head.slice(0, 10))).artefact.id).toBe(String(second?.id));
});

test("what waited for an answer is shown with the answer, and with the bids of all", async () => {
  const { because, bids: placed, grant } = await storyOf(first?.id ?? "");
  expect(because.answers).toMatchObject([{ by: expect.stringMatching(/^person:Ada/) }]);
  expect(placed).toContainEqual({ agent: "writer", bid: "exclusive" });
  expect(grant?.attempt).toBe(2);
  expect(await clan.need("why", first?.id ?? "")).toMatch(/^ {2}bids .*writer exclusive/m);
});

test("a claim means its result, and a commit the first artefact with it", async () => {
  expect((await storyOf(second?.claim_id ?? "")).artefact.id).toBe(second?.id as string);
  for (const word of [commit, commit.slice(0, 12).toUpperCase()])
    expect(await storyOf(word)).toMatchObject({
      artefact: { id: posted?.id, commit, by: "person:Ada Lovelace <ada@sett.invalid>" },
      because: { about: null },
      grant: null,
    });
});

test("a bundle tells the same, without a sett, and where each is sealed", async () => {
  const { file } = await exportedLog(clan, outside);
  const events = await clan.board.readEvents("0", 1_000);
  for (const one of [first, second, posted]) {
    const { sealed, ...story } = JSON.parse(
      (await runSett(["why", one?.id ?? "", "--archive", file, "--json"], { cwd: outside })).out,
    );
    const { sealed: _, ...live } = await storyOf(one?.id ?? "");
    expect(story).toEqual(live);
    expect(sealed.origin).toStartWith(`${clan.instance}.sett.invalid/`);
    const isOf = ({ type, artefact_id }: SettEvent) =>
      type === "artefact_created" && artefact_id === one?.id;
    expect([sealed.entry, sealed.size]).toEqual([events.findIndex(isOf), events.length]);
  }
  const words = ["why", posted?.claim_id || commit, "--archive", file];
  const { code, out } = await runSett(words, { cwd: outside });
  expect([code, out]).toEqual([0, expect.stringMatching(/^ {2}sealed {2}entry \d+ of \d+, /m)]);
});

test("an archive of `sett prune` tells the same", async () => {
  const live = await storyOf(second?.id ?? "");
  const isOver = async () => (await chooseGoals(clan.board, Date.now() + 1_000)).goals.length === 1;
  await waitFor("rest", isOver);
  const file = join(outside, "old.jsonl");
  await clan.need("prune", "--before", "0s", "--to", file);
  const words = ["why", second?.claim_id ?? "", "--archive", file, "--json"];
  const { out } = await runSett(words, { cwd: outside });
  expect(JSON.parse(out)).toEqual(live);
});

test("of what is nowhere on record there is a sentence, and of a file that is no bundle, too", async () => {
  for (const word of [crypto.randomUUID(), "0".repeat(40)]) {
    const { code, out, err } = await clan.sett("why", word);
    expect({ code, out, err }).toEqual({
      ...{ code: 1, out: "" },
      err: expect.stringContaining(`There is no artefact, result of a claim or commit of an agent`),
    });
  }
  const wrong = await runSett(["why", "9f3a12b4", "--archive", "none.tar"], { cwd: outside });
  expect({ code: wrong.code, out: wrong.out }).toEqual({ code: 1, out: "" });
});

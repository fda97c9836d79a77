// `sett audit replay` decides again what a clan has done, from its log and from an archive of it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chooseGoals } from "../../../apps/cli/prune/choose.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";
import { Clan } from "../../support/world/clan.ts";

const file = "old.jsonl";
let at: Workspace;
let clan: Clan;

beforeAll(async () => {
  at = await Workspace.create();
  await using board = await at.board();
  clan = new Clan({ open: () => at.board() }, await at.board());
  let reviews = 0;
  await clan.join({
    coder: {
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
      tool: () => ({ artefact_type: "Text", artefact_payload: "a", summary: "Written" }),
    },
    reviewer: {
      bids: [{ on: "Text", bid: "review" }],
      tool: () => {
        reviews += 1;
        return {
          structural_type: "Review",
          artefact_type: "Review",
          artefact_payload: reviews === 1 ? "Once more" : "{}",
          summary: "Read",
        };
      },
    },
    packer: {
      bids: [{ on: "Text", bid: "exclusive" }],
      tool: () => ({
        structural_type: "Terminal",
        artefact_type: "Done",
        artefact_payload: "b",
        summary: "Done",
      }),
    },
  });
  await clan.startOrchestrator();
  await clan.made(await clan.postGoal(), ({ type }) => type === "Done");
  const isOver = async () => (await chooseGoals(board, Date.now() + 1_000)).goals.length === 1;
  await waitFor("rest", isOver);
}, 120_000);

afterAll(async () => {
  await clan[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
});

/** With its last line made anew, as a person would who knows the format. */
async function changed(to: string, change: (text: string) => string): Promise<string> {
  const lines = (await readFile(join(at.folder, file), "utf8")).trimEnd().split("\n").slice(0, -1);
  const text = change(`${lines.join("\n")}\n`);
  const sha256 = createHash("sha256").update(text).digest("hex");
  const seal = JSON.stringify({ seal: { lines: lines.length, sha256 } });
  await writeFile(join(at.folder, to), `${text}${seal}\n`);
  return to;
}

const offline = (...words: string[]) => runSett(["audit", "replay", ...words], { cwd: at.folder });

test("a claim, or a grant of it, that was written over is not what its events have made of it", async () => {
  const events = await clan.board.readEvents("0", 1_000);
  const claim = String(events.find(({ type }) => type === "claim_terminated")?.claim_id);
  const grants = `sett:demo:grants:${claim}`;
  const grant = (await at.redis.cli("HGET", grants, "reviewer")).trim();
  expect(grant).toContain('"rejects":true');
  await at.redis.cli("HSET", grants, "reviewer", grant.replace(',"rejects":true', ""));
  await at.redis.cli("HSET", `sett:demo:claim:${claim}`, "status", "complete");
  const [goal] = await clan.board.listGoals();
  const payer = (await at.redis.cli("HGET", `sett:demo:goal:${goal}`, "payer")).trim();
  await at.redis.cli("HSET", `sett:demo:goal:${goal}`, "payer", "person:mallory");
  await at.redis.cli("HSET", "sett:demo:lanes", "main", "c".repeat(40));
  const { code, out, err } = await at.sett("audit", "replay");
  expect([code, out, err]).toEqual([
    1,
    expect.stringMatching(
      /the record: complete; .*\n +the log: +terminated; .* rejects [\s\S]*the record: payer="person:mallory"\n[\s\S]*^lane main, as it is stored:\n +the record: tip=c+\n/m,
    ),
    expect.stringMatching(
      /1 claim is not what the log has made of it[\s\S]*2 records are not as the log says/,
    ),
  ]);
  await at.redis.cli("HSET", `sett:demo:goal:${goal}`, "payer", payer);
  await at.redis.cli("DEL", "sett:demo:lanes");
  await at.redis.cli("HSET", grants, "reviewer", grant);
  await at.redis.cli("HSET", `sett:demo:claim:${claim}`, "status", "terminated");
  expect((await at.sett("audit", "replay")).code).toBe(0);
}, 120_000);

test("each decision of a rework is made again from the log, and from the archive without a sett", async () => {
  const live = JSON.parse(await at.need("audit", "replay", "--json"));
  expect(live).toMatchObject({
    ...{ claims: 4, differences: [], due: [], unknown: [], contradictions: [] },
  });
  expect(live.decisions).toBeGreaterThan(10);
  expect((await at.sett("audit", "replay")).err).toContain(
    `${live.decisions} decisions about 4 claims were made again: each is the one on record.`,
  );
  await at.need("prune", "--before", "0s", "--to", file);
  const { code, out } = await offline(file, "--json");
  expect({ code, ...JSON.parse(out) }).toEqual({ code: 0, ...live });
  const said = async () => (await at.sett("audit", "replay")).err;
  expect(await said()).not.toContain("lanes");
  await at.redis.cli("HSET", "sett:demo:lanes", "main", "c".repeat(40));
  expect(await said()).toContain("Tips of lanes were not compared");
  await at.redis.cli("DEL", "sett:demo:lanes");
}, 120_000);

nightly(
  "an archive with another verdict, rule or end is not what the rules ask for",
  async () => {
    const approved = await changed("approved.jsonl", (text) =>
      text.replaceAll(',"rejects":true', ""),
    );
    const another = await offline(approved);
    expect(another.code).toBe(1);
    expect(another.out).toContain("the record: claim_terminated");
    expect(another.out).toContain("the rules:  grant_queued packer");
    expect(another.err).toContain("the record was changed, or another version of Sett has decided");
    const rule = await changed("rule.jsonl", (text) =>
      text.replaceAll('\\"bid\\":\\"review\\"', '\\"bid\\":\\"ignore\\"'),
    );
    expect(JSON.parse((await offline(rule, "--json")).out).differences[0].rules).toBe(
      "The registrations that it was opened on are missing.",
    );
    for (const other of ['{"not":"rules"}', "no JSON"]) {
      const noRules = await changed("no-rules.jsonl", (text) => {
        const [, registry = ""] = /"registry":"([0-9a-f]+)"/.exec(text) ?? [];
        const digest = createHash("sha256").update(other).digest("hex");
        const fact = new RegExp(`^\\{"fact":\\{"digest":"${registry}".*$`, "m");
        return text
          .replace(fact, JSON.stringify({ fact: { digest, text: other } }))
          .replaceAll(registry, digest);
      });
      expect(JSON.parse((await offline(noRules, "--json")).out).differences[0].rules).toBe(
        "The registrations that it was opened on are missing.",
      );
    }
    const open = await changed("open.jsonl", (text) =>
      text.replace(/^.*"type":"claim_completed".*\n/m, "\n"),
    );
    expect((await offline(open)).code).toBe(1);
  },
  120_000,
);

test("an artefact of an archive that is not the one that its log names is named", async () => {
  const other = await changed("other.jsonl", (text) =>
    text.replace('"payload":"Once more"', '"payload":"{}"'),
  );
  const { code, out, err } = await offline(other);
  expect({ code, out, err }).toMatchObject({
    code: 1,
    out: expect.stringMatching(
      /as it is stored:\n {2}the record: [0-9a-f]{64}\n {2}the log: {4}[0-9a-f]{64}\n/,
    ),
    err: expect.stringContaining("1 record is not as the log says: the record was changed."),
  });
}, 120_000);

test("what is no archive, and another word than replay, is wrong use with a hint", async () => {
  const other = await runSett(["audit", "explain"], { cwd: at.folder });
  expect(other.code).toBe(2);
  expect(other.err).toContain("For example: `sett audit replay`");
  expect((await offline("missing.jsonl")).err).toContain("There is no file");
});

// An authority and a witness see the log of an instance, and both verifiers say between which
// moments an event was written.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { z } from "zod";
import { buildForTests } from "../../.ci/go.ts";
import { readVerifierKey } from "../../lib/proof/note.ts";
import { nightly } from "../support/nightly.ts";
import { Authority } from "../support/proof/authority.ts";
import { Litewitness } from "../support/proof/litewitness.ts";
import { PlayedWitness } from "../support/proof/played-witness.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";

let at: ProcessSett;
const settings = `version: '1.0'
agents:
  planner:
    image: no-such-image:1
    command: ["sh", "-c", "echo '{\\"artefact_type\\":\\"Plan\\",\\"artefact_payload\\":\\"x\\",\\"summary\\":\\"\\"}'"]
    bids: [{ on: GoalDefined, bid: exclusive }]
    workspace: { mode: none }
proof: on
`;

beforeAll(async () => {
  at = await ProcessSett.create(settings);
  await at.up();
});
afterAll(() => at?.[Symbol.asyncDispose]());

const place = (name: string) => join(at.root, name);

const Answer = z.object({
  problems: z.array(
    z
      .object({ code: z.string(), place: z.string() })
      .transform((one) => `${one.code} ${one.place}`),
  ),
  anchors: z
    .array(
      z
        .object({
          size: z.number(),
          sealed: z.number(),
          isWitnessed: z.boolean(),
          stamp: z.object({ by: z.string() }).nullish(),
        })
        .transform((anchor) => ({ ...anchor, stamp: anchor.stamp?.by })),
    )
    .default([]),
});
type Verdict = z.infer<typeof Answer> & { code: number; times: (string | undefined)[] };

/** Both verifiers are asked, and must agree. */
async function verify(file: string, ...more: string[]): Promise<Verdict> {
  const verifier = await buildForTests("verify");
  const args = [file, ...more, "--json"];
  const { code, out } = await at.sett("audit", "verify", ...args);
  const other = Bun.spawnSync([verifier, ...args]);
  const [one, two] = [out, other.stdout.toString()].map((text) => Answer.parse(JSON.parse(text)));
  expect({ code: other.exitCode, ...two }).toEqual({ code, ...one });
  const { notLater, notEarlier } = JSON.parse(out);
  const { problems = [], anchors = [] } = one ?? {};
  return { code, problems, anchors, times: [notEarlier?.at, notLater?.at] };
}

test("a goal between two looks from outside was written not earlier than the first and not later than the second", async () => {
  using authority = new Authority();
  using clock = authority.listen();
  using witness = new PlayedWitness();
  const key = (await at.need("audit", "key")).trim();
  witness.key = readVerifierKey(key);
  const [root, policy, bundle, all] = [
    place("root.pem"),
    place("policy"),
    place("goal.tar"),
    place("all.tar"),
  ];
  await writeFile(root, authority.root);
  await writeFile(policy, `log ${key}\nwitness w ${witness.witness.text}\nquorum w\n`);

  const anchor = async () => {
    const { code, out, err } = await at.sett(
      ...[
        "audit",
        "anchor",
        "--tsa",
        clock.url,
        "--witness",
        witness.url,
        "--policy",
        policy,
        "--json",
      ],
    );
    expect({ code, err }).toMatchObject({ code: 0 });
    return JSON.parse(out) as { size: number; index: number; seen: { by: string; at: string }[] };
  };
  const before = await anchor();
  expect(before.seen.map(({ by }) => by)).toEqual(["Clock one", "w"]);
  const goal = (await at.need("forage", "--goal", "Plan", "--watch", "--json")).trim();
  const { id } = JSON.parse(goal);
  await at.need("audit", "export", id, "--to", place("early.tar"));
  const trust = ["--policy", policy, "--tsa", root];
  // Nothing is behind the goal yet.
  const early = await verify(place("early.tar"), ...trust, "--require", "tsa,witness");
  expect([early.code, early.problems]).toEqual([1, ["tsa anchors", "witness anchors"]]);

  const behind = await anchor();
  expect(behind.size).toBeGreaterThan(before.index);
  await at.need("audit", "export", id, "--to", bundle);
  await at.need("audit", "export", "--all", "--to", all);
  const shown = await verify(bundle, ...trust, "--require", "tsa,witness");
  expect(shown).toMatchObject({ code: 0, problems: [] });
  expect(shown.anchors).toEqual(
    [before, behind].map(({ size, index }) => {
      return { size, sealed: index, isWitnessed: true, stamp: "Clock one" };
    }),
  );
  const [from, to] = shown.times.map((time = "") => Date.parse(time));
  const times = (one: typeof before) => one.seen.map((each) => Date.parse(each.at));
  expect(times(before)).toContain(from ?? 0);
  expect(times(behind)).toContain(to ?? 0);
  expect(await verify(all, ...trust, "--require", "tsa,witness")).toMatchObject({ code: 0 });
  // It is one of the commands of the auditor's own.
  await mkdir(place("open"));
  await $`tar xf ${bundle} -C ${place("open")}`.quiet();
  const about = join(place("open"), "anchors", String(behind.size));
  const { stdout } = await $`openssl ts -verify -data checkpoint -in tsr -CAfile ${root}`
    .cwd(about)
    .quiet();
  expect(stdout.toString()).toContain("Verification: OK");

  const { out } = await at.sett("audit", "verify", bundle, ...trust);
  expect(out).toMatch(/time {7}all of them not later than .*, says (Clock one|w)\n/);
  expect(out).toMatch(/time {7}all of them not earlier than .*, says (Clock one|w)\n/);
  expect((await at.sett("status")).out).toContain(
    `The first ${behind.size} entries of the sealed log`,
  );
  expect(JSON.parse((await at.sett("status", "--json")).out).anchored.size).toBe(behind.size);
});

test("what the notary has signed is pushed to a remote, whose clone then shows the log", async () => {
  await $`git init --quiet --bare ${place("remote.git")}`;
  await $`git remote add elsewhere ${place("remote.git")}`.cwd(at.folder);
  const pushed = await at.sett("audit", "anchor", "--push", "elsewhere");
  expect([pushed.code, pushed.err]).toEqual([
    0,
    expect.stringContaining("elsewhere has what the notary has signed"),
  ]);
  const refs = await $`git for-each-ref --format=${"%(refname)"}`.cwd(place("remote.git")).text();
  expect(refs).toBe(`refs/sett-proof/${at.name}\n`);
  const nowhere = await at.sett("audit", "anchor", "--push", "nowhere");
  expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining("git push failed")]);
});

test("where one of several does not answer, what the others have said is kept, and the exit code is 1", async () => {
  using authority = new Authority();
  using clock = authority.listen();
  using witness = new PlayedWitness();
  const part = await at.sett(
    "audit",
    "anchor",
    "--tsa",
    clock.url,
    "--witness",
    witness.url,
    "--json",
  );
  expect(part.code).toBe(1);
  const { seen, index } = JSON.parse(part.out);
  expect([seen.length, typeof index]).toEqual([1, "number"]);
  expect(part.err).toContain("has not signed. It does not know this log.");
  expect(part.err).toContain("sett audit key");

  // Nothing is kept where none has answered.
  const none = await at.sett("audit", "anchor", "--witness", witness.url);
  expect([none.code, none.err]).toEqual([1, expect.stringContaining("It does not know this log.")]);
  const status = JSON.parse((await at.sett("status", "--json")).out);
  expect(status.anchored.size).toBeLessThan(index + 1);
  const wrong = await at.sett("audit", "anchor");
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("who shall see the log")]);
});

nightly("a witness of another project signs the log, and sees it go on", async () => {
  const key = (await at.need("audit", "key")).trim();
  await using witness = await Litewitness.start(key);
  const policy = place("policy-of-another");
  await writeFile(policy, `log ${key}\nwitness w ${witness.key}\nquorum w\n`);
  const ask = ["audit", "anchor", "--witness", witness.url, "--policy", policy];
  await at.need(...ask);
  await at.need("forage", "--goal", "Plan", "--watch");
  await at.need(...ask);
  const all = place("witnessed.tar");
  await at.need("audit", "export", "--all", "--to", all);
  const { code, problems } = await verify(all, "--policy", policy, "--require", "witness");
  expect([code, problems]).toEqual([0, []]);

  // To it the log is the same one under another key, once its operator knows that.
  const next = (await at.need("audit", "rotate-key")).trim();
  await at.need("forage", "--goal", "Plan", "--watch");
  // It waits until that is sealed.
  await at.need("audit", "export", "--all", "--to", place("sealed.tar"));
  expect((await at.sett(...ask)).code).toBe(1);
  witness.learn(next);
  await at.need(...ask);
  const later = place("witnessed-later.tar");
  await at.need("audit", "export", "--all", "--to", later);
  const after = await verify(later, "--policy", policy, "--require", "witness");
  expect([after.code, after.problems]).toEqual([0, []]);
});

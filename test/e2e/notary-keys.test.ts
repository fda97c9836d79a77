// The key of the notary: it is shown when it is made, and sett.yml may pin it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildForTests } from "../../.ci/go.ts";
import { readVerifierKey, verifierKeyText } from "../../lib/proof/note.ts";
import { newKey } from "../support/proof/bundle.ts";
import { PlayedWitness } from "../support/proof/played-witness.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";

const settings = `version: '1.0'
agents:
  planner:
    image: no-such-image:1
    command: ["sh", "-c", "echo '{\\"artefact_type\\":\\"Plan\\",\\"artefact_payload\\":\\"x\\",\\"summary\\":\\"\\"}'"]
    bids: [{ on: GoalDefined, bid: exclusive }]
    workspace: { mode: none }
`;

let at: ProcessSett;
let key: string;

beforeAll(async () => {
  at = await ProcessSett.create(`${settings}proof: on\n`);
});
afterAll(() => at?.[Symbol.asyncDispose]());

const place = (name: string) => join(at.root, name);
const pinning = (pinned: string) => at.write(`${settings}proof: { key: "${pinned}" }\n`);

test("the first up shows the key by which the log is sealed, and no later one does", async () => {
  const first = await at.sett("up", "--yes", "--runtime", "process", "--name", at.name);
  expect(first.code).toBe(0);
  key = (await at.need("audit", "key")).trim();
  expect(first.err).toContain(`The log is sealed by the key ${key}\n`);
  const second = await at.sett("up", "--yes");
  expect([second.code, second.err]).toEqual([0, expect.not.stringContaining(key)]);
});

test("after another key has taken over, both verifiers show what came before and after by either key", async () => {
  const verifier = await buildForTests("verify");
  const verify = async (file: string, by: string, ...more: string[]) => {
    const args = [place(file), "--key", by, ...more, "--json"];
    const { code, out } = await at.sett("audit", "verify", ...args);
    const other = Bun.spawnSync([verifier, ...args]);
    const problems = [out, other.stdout.toString()].map((text) => JSON.parse(text).problems);
    const places = problems.map((all) => all.map((one: { place: string }) => one.place));
    expect([other.exitCode, places[0]]).toEqual([code, places[1]]);
    return { code, text: JSON.stringify(problems[0]), rotations: JSON.parse(out).rotations };
  };
  await at.need("forage", "--goal", "Plan", "--watch", "--receipt", place("receipt"));
  await at.need("audit", "export", "--all", "--to", place("early.tar"));
  using witness = new PlayedWitness();
  witness.key = readVerifierKey(key);
  const anchor = ["audit", "anchor", "--witness", witness.url];
  await at.need(...anchor);
  const rotated = await at.sett("audit", "rotate-key");
  expect([rotated.code, rotated.err]).toEqual([
    0,
    expect.stringContaining(`What ${key} has signed`),
  ]);
  const old = key;
  key = rotated.out.trim();
  expect(key.split("+")[0]).toBe(old.split("+")[0] ?? "");
  // Both keys have signed that, so that a witness that knows the old one sees it.
  await at.need(...anchor);
  const goal = JSON.parse(await at.need("forage", "--goal", "Plan", "--watch", "--json"));
  await at.need("audit", "export", goal.id, "--to", place("goal.tar"));
  // A witness that knows the old key alone refuses, and says so. It is one log that it sees go on.
  const unknown = await at.sett(...anchor);
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("sett audit key")]);
  witness.key = readVerifierKey(key);
  await at.need(...anchor);
  await at.need("audit", "export", "--all", "--to", place("all.tar"));
  for (const by of [old, key]) {
    const policy = `log ${by}\nwitness w ${witness.witness.text}\nquorum w\n`;
    await writeFile(place("policy"), policy);
    const witnessed = await verify(
      "all.tar",
      by,
      "--policy",
      place("policy"),
      "--require",
      "witness",
    );
    expect([witnessed.code, witnessed.text]).toEqual([0, "[]"]);
    expect(await verify("goal.tar", by)).toMatchObject({ code: 0, rotations: [{ key }] });
    expect(await verify("all.tar", by, "--receipt", place("receipt"))).toMatchObject({ code: 0 });
  }
  const said = await at.sett("audit", "verify", place("all.tar"), "--key", old);
  expect(said.out).toMatch(new RegExp(`key {8}from entry \\d+ on it is ${RegExp.escape(key)}`));
  // A bundle of before has no word of the new key.
  expect(await verify("early.tar", old)).toMatchObject({ code: 0 });
  const early = await verify("early.tar", key);
  expect([early.code, early.text]).toEqual([1, expect.stringContaining("Another key")]);

  await pinning(old);
  const up = await at.sett("up", "--yes");
  expect([up.code, up.err]).toEqual([
    0,
    expect.stringContaining(`Pin that: proof: { key: "${key}"`),
  ]);
});

test("a pinned key that the notary has not is refused before anything is replaced", async () => {
  await pinning(verifierKeyText(newKey(`${at.name}.sett.invalid`).verifier));
  const notary = at.processOf("notary");
  const refused = await at.sett("up", "--yes");
  expect(refused.code).toBeGreaterThan(0);
  expect(refused.err).toContain(`it has ${key}`);
  expect(at.processOf("notary")).toEqual(notary);

  await pinning(key);
  await at.need("up", "--yes");
  expect(at.processOf("notary")).not.toEqual(notary);
  await at.need("forage", "--goal", "Plan", "--watch");

  // The volume is gone: no new key takes its place.
  await at.need("down", "--name", at.name);
  const volume = join(at.state, "volumes", `sett-${at.name}-proof`);
  for (const path of [volume, `${volume}.json`]) await rm(path, { recursive: true });
  const lost = await at.sett("up", "--yes");
  expect(lost.code).toBeGreaterThan(0);
  expect(lost.err).toContain("The proof volume has not the key that `proof.key` pins.");
});

test("a log that is lost is given up by a person, and a bundle of the new one says so", async () => {
  await at.write(settings);
  await at.need("up", "--yes");
  await at.need("audit", "new-log", "--reason", "The disk was lost");
  await at.write(`${settings}proof: on\n`);
  const up = await at.sett("up", "--yes");
  expect([up.code, up.err]).toEqual([0, expect.stringContaining("The log is sealed by the key")]);
  const wrong = await at.sett("audit", "new-log", "--reason", "x");
  expect([wrong.code > 0, wrong.err]).toEqual([true, expect.stringContaining("nothing is lost")]);
  const goal = JSON.parse(await at.need("forage", "--goal", "Plan", "--watch", "--json"));
  await at.need("audit", "export", goal.id, "--to", place("new.tar"));
  const trusted = (await at.need("audit", "key")).trim();
  const said = await at.sett("audit", "verify", place("new.tar"), "--key", trusted);
  const origin = key.split("+")[0] ?? "";
  expect([said.code, said.out]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(`continuity the log ${RegExp.escape(origin)} of \\d+ entries`),
    ),
  ]);
});

// Two people approve with their own keys what a third has asked for, in real containers, and an
// auditor sees it without trusting anyone here.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { buildForTests } from "../../.ci/go.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(400_000);

let sett: SettWorkspace;
let keys: string;

const key = (name: string) => join(keys, name);
const bob = ["--as", "Bob <bob@example.org>"];
const eve = ["--as", "Eve <eve@example.org>"];

beforeAll(async () => {
  keys = await mkdtemp(join(tmpdir(), "sett-keys-"));
  for (const name of ["ada", "bob", "bob-too", "eve"])
    await $`ssh-keygen -q -t ed25519 -N "" -C "" -f ${name}`.cwd(keys).quiet();
  sett = await SettWorkspace.create({
    ...scriptAgent(
      "planner",
      `jq -n '{artefact_type: "Plan", artefact_payload: "x", summary: ""}'`,
    ),
    ...scriptAgent(
      "packager",
      `jq -n '{structural_type: "Terminal", artefact_type: "End", artefact_payload: "x", summary: ""}'`,
    ),
    "sett.yml": "",
  });
  const ada = (await sett.git("config", "user.email")).trim();
  const lineOf = async (name: string, email: string) =>
    `${email} ${await readFile(key(`${name}.pub`), "utf8")}`;
  const lines = [
    await lineOf("ada", ada),
    await lineOf("bob", "bob@example.org"),
    await lineOf("bob-too", "bob@example.org"),
    await lineOf("eve", "eve@example.org"),
  ];
  const agents = settYml({
    planner: "    bids:\n      - { on: GoalDefined, bid: exclusive }\n",
    packager: "    bids:\n      - { on: Plan, bid: exclusive }\n",
  });
  await sett.write({
    signers: lines.join(""),
    "sett.yml": `${agents}  owner:
    human: true
    people: [owners]
    approvals: 2
    not_by: [poster]
    bids: [{ on: Plan, bid: review }]
people:
  signers: ./signers
  signed: required
  ada: { email: ${ada}, groups: [owners] }
  bob: { email: bob@example.org, groups: [owners] }
  eve: { email: eve@example.org, groups: [owners] }
proof: on
`,
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
  await rm(keys, { recursive: true });
});

type Listed = { id: string; goal_id: string; approvals: { needed: number; by: string[] } };

test("two people approve with their keys, not the one who has asked, and both verifiers show it", async () => {
  const signing = ["--sign-with", key("ada")];
  const goal = JSON.parse(await sett.need("forage", "--goal", "Plan", "--json", ...signing)).id;
  const waiting = () =>
    waitFor("the approval", async () => {
      const { code, out } = await sett.look("questions", "--json", "--goal", goal);
      const [listed]: Listed[] = code === 0 ? JSON.parse(out) : [];
      return listed;
    });
  const { id: plan } = await waiting();
  const approve = (...words: string[]) => sett.sett("approve", plan, ...words);
  const own = await approve(...signing);
  expect({ code: own.code, err: own.err }).toEqual({
    code: 1,
    err: expect.stringContaining("does not count: `not_by` of owner"),
  });
  const first = await approve(...bob, "--sign-with", key("bob"));
  expect({ code: first.code, err: first.err }).toEqual({
    code: 0,
    err: expect.stringContaining("and signed: 1 of 2 approvals: Bob. It waits for eve."),
  });
  await sett.kill("orchestrator");
  expect(await waiting()).toMatchObject({
    approvals: { needed: 2, by: ["Bob <bob@example.org>"] },
  });
  const again = await approve(...bob, "--sign-with", key("bob-too"));
  expect({ code: again.code, err: again.err }).toEqual({
    code: 1,
    err: expect.stringContaining("Bob has approved Plan"),
  });
  expect((await approve(...eve, "--sign-with", key("eve"))).code).toBe(0);
  await waitFor("the end", async () =>
    (await sett.artefacts(goal)).some(({ type }) => type === "End"),
  );

  const [log, bundle] = [key("log"), key("plan.tar")];
  await Bun.write(log, await sett.need("audit", "key"));
  await sett.need("audit", "export", goal, "--to", bundle);
  const options = ["--key", log, "--signers", join(sett.folder, "signers")];
  const shown = await sett.sett(
    ...["audit", "verify", bundle, ...options, "--require", "signatures"],
  );
  expect({ code: shown.code, out: shown.out }).toEqual({
    code: 0,
    out: expect.stringContaining("3 acts of people are signed"),
  });
  const verifier = await buildForTests("verify");
  const other = Bun.spawnSync([verifier, ...options, "--require", "signatures", bundle]);
  expect({ code: other.exitCode, err: other.stderr.toString() }).toEqual({ code: 0, err: "" });
});

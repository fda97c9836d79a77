// The sett.yml of one setting of an eval.
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { parse } from "yaml";
import { checksOrder, checksTypeOf, evalSett } from "../../../../lib/config/eval-sett.ts";
import { evalSettings } from "../../../../lib/config/eval-settings.ts";
import { EvalFile } from "../../../../lib/model/eval-file.ts";
import { errorOf } from "../../../support/error-of.ts";

const token = "0123abcd";
const file = EvalFile.parse({
  goals: {
    one: { goal: "one", checks: ["test -e one", { run: "sleep 9", timeout: "1s" }, "exit 7"] },
    two: { goal: "two", image: "node:22", checks: ["echo 'it''s two' \"$HOME\""] },
    bare: { goal: "bare" },
  },
});
const of = { file, folder: "/home/ada/sett", token, commits: new Map() };

const agent = { image: "a:1", command: ["/run"], bids: [{ on: "*", bid: "claim" }] };
const settOf = (data: object, ...parts: string[]) => {
  const whole = { version: "1.0", agents: { coder: agent }, ...data };
  const [setting] = evalSettings(parts, whole);
  if (setting === undefined) throw new Error("There is no setting.");
  return parse(evalSett(whole, setting, of));
};

test("an override is in it, also where its map was missing", () => {
  expect(settOf({}, "coder.image=b:2", "limits.budget.usd=3")).toMatchObject({
    agents: { coder: { image: "b:2", command: ["/run"] } },
    limits: { budget: { usd: 3 } },
  });
});

test("agents with checks are added, one for each image, without a network", () => {
  const { agents } = settOf({});
  expect(Object.keys(agents)).toEqual(["coder", "eval-checks", "eval-checks-2"]);
  expect(agents["eval-checks"]).toMatchObject({
    ...{ image: "sett/agent-base:latest", network: "none", timeout: "1261s" },
    bids: [{ on: "EvalChecks", bid: "claim" }],
  });
  expect(agents["eval-checks-2"]).toMatchObject({
    ...{ image: "node:22", bids: [{ on: "EvalChecks2", bid: "claim" }] },
  });
  const types = Object.values(file.goals).map((goal) => checksTypeOf(file, goal));
  expect(types).toEqual(["EvalChecks", "EvalChecks2", "EvalChecks"]);
});

test("no agent of the sett bids on the order of checks, and no model is asked about it", () => {
  const ignore = { on: "EvalChecks*", bid: "ignore" };
  const prompted = { image: "a:1", prompts: { claim: "Take goals.", execution: "Work." } };
  const command = { image: "a:1", command: ["/run"], bid_command: ["/bid"] };
  const { agents } = settOf({
    agents: { coder: agent, prompted, command, used: { use: "codex" } },
  });
  expect(agents.coder.bids).toEqual([ignore, { on: "*", bid: "claim" }]);
  expect([agents.prompted.bids, agents.command.bids]).toEqual([[ignore], [ignore]]);
  expect(agents.used).toEqual({ use: "codex" });
});

test("nothing in it reaches others, or takes a port", async () => {
  const outside = {
    triggers: { nightly: {} },
    notify: [{ url: "https://example.org/" }],
    services: { api: { port: 8080 }, redis: { memory: "64M" } },
  };
  const made = settOf(outside);
  expect(Object.keys(made)).toEqual(["version", "agents", "services"]);
  expect(made.services).toEqual({ redis: { memory: "64M" } });
  const forge = { agents: { coder: agent, pulls: { forge: "hub", pull_request: {} } } };
  expect(await errorOf(() => settOf(forge))).toMatchObject({
    message: expect.stringContaining("pulls would make pull requests"),
  });
});

test("files of this machine that no commit has are found from a clone as well", () => {
  const secrets = { a: { file: "keys/a" }, b: { file: "/etc/b" }, c: { variable: "C" } };
  expect(settOf({ secrets, models: { ca: "../ca.pem" } })).toMatchObject({
    secrets: { ...secrets, a: { file: "/home/ada/sett/keys/a" } },
    models: { ca: "/home/ada/ca.pem" },
  });
});

test("a name that an eval's own agent has, and a key within a text, are refused", async () => {
  const taken = { agents: { "eval-checks": agent } };
  expect(await errorOf(() => settOf(taken))).toMatchObject({ hint: "Rename it." });
  expect(await errorOf(() => settOf({}, "coder.image.tag=2"))).toMatchObject({
    message: "--with coder.image.tag=2: sett.yml has no such key.",
  });
});

test("the command runs the checks of the goal that is named, and says which have failed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-eval-"));
  try {
    const { agents } = settOf({});
    const checked = async (name: string, goal: string) => {
      const work = JSON.stringify({ target_artefact: { payload: checksOrder(token, goal) } });
      const ran = await $`sh -c ${agents[name].command[2]} < ${Buffer.from(work)}`
        .cwd(folder)
        .quiet()
        .nothrow();
      const [out, err] = [ran.stdout, ran.stderr].map(String);
      return { code: ran.exitCode, out, err };
    };
    expect(await checked("eval-checks", "one")).toMatchObject({
      ...{ code: 1, out: "failed 1:1 2:124 3:7" },
      err: expect.stringContaining("check 2: sleep 9"),
    });
    const passed = await checked("eval-checks-2", "two");
    expect(passed).toMatchObject({ code: 0, err: expect.stringContaining("its two") });
    expect(JSON.parse(passed.out ?? "")).toMatchObject({ structural_type: "Terminal" });
  } finally {
    await rm(folder, { recursive: true });
  }
});

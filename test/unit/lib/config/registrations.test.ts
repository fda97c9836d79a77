import { expect, test } from "bun:test";
import { parseConfig } from "../../../../lib/config/parse-config.ts";
import { policyOf, registrationsOf } from "../../../../lib/config/registrations.ts";
import { AgentRegistration } from "../../../../lib/model/agent.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import { defaultPolicy, Policy } from "../../../../lib/model/policy.ts";
import { validText } from "../../../support/config/config-file.ts";

function configOf(text: string): SettConfig {
  const { config } = parseConfig({ text, file: "sett.yml", folder: "/work", host: {} });
  if (config === undefined) throw new Error("The text is not valid.");
  return config;
}

test("an agent that is on demand is registered so, and one with workers knows the limit of all", () => {
  const text = `${validText}    on_demand: true
    bids: [{ on: GoalDefined, bid: exclusive }]
  b: { image: b, command: [run], bids: [{ on: A, bid: claim }], replicas: { min: 0, max: 4 } }
  c: { image: c, command: [run], bids: [{ on: B, bid: claim }], replicas: 2 }
  d: { image: d, command: [run], bids: [{ on: C, bid: claim }] }
limits: { workers: 5 }
`;
  const config = configOf(text);
  expect(policyOf(config).workers).toBe(5);
  expect(
    registrationsOf(config, new Map()).map(({ name, replicas, on_demand, instance_workers }) =>
      JSON.stringify([name, replicas, on_demand, instance_workers]),
    ),
  ).toEqual(['["a",1,true,5]', '["b",4,true,5]', '["c",2,null,5]', '["d",1,null,null]']);
});

test("a file without limits gives the default policy", () => {
  expect(policyOf(configOf(validText))).toEqual(defaultPolicy);
});

test("the policy is what the top level says", () => {
  const text = `${validText}consensus: first_bid\nclarification: tiered\nlimits: { review_rounds: 0, artefacts_per_goal: 9, bid_deadline: 1.5s, context: 128M }\n`;
  expect(Policy.parse(policyOf(configOf(text)))).toEqual({
    consensus: "first_bid",
    clarification: "tiered",
    review_rounds: 0,
    artefacts_per_goal: 9,
    bid_deadline_ms: 1500,
  });
});

test("each agent is registered with its settings and its image's digest", () => {
  const text = `${validText}    role: tester
    bids: [{ on: "Code*", from: "*", bid: review }]
    bid_command: [/app/bid.sh]
    on_missing_bid: ignore
    replicas: 3
    strategy: fresh_per_call
    workspace: { mode: rw }
    timeout: 1h
    retries: 2
  b: { image: b, command: [run] }
`;
  const [a, b] = registrationsOf(configOf(text), new Map([["a", "sha256:1"]])).map((one) =>
    AgentRegistration.parse(one),
  );
  expect(JSON.parse(JSON.stringify(a))).toEqual({
    name: "a",
    role: "tester",
    replicas: 3,
    strategy: "fresh_per_call",
    bids: [{ on: "Code*", from: "*", bid: "review" }],
    // The command itself is not for the blackboard, where others could change it.
    bids_by_command: true,
    position: 0,
    on_missing_bid: "ignore",
    workspace_mode: "rw",
    timeout_ms: 3_600_000,
    retries: 2,
    image: "sha256:1",
  });
  expect([String(b?.role), b?.image, b && "bids_by_command" in b]).toEqual(["b", "", false]);
});

test("an agent with a prompt for claims and a model asks it, unless a command decides its bids", () => {
  const models =
    "models:\n  local: { provider: openai, base_url: http://127.0.0.1:1/v1, model: x }\n";
  const agent = (name: string, more: string) =>
    `  ${name}: { image: b, command: [run], model: local, ${more} }\n`;
  const agents = [
    agent("b", "prompts: { claim: Take code. }"),
    agent("c", "prompts: { claim: Take code. }, bid_command: [/app/bid.sh]"),
    agent("d", "prompts: { execution: Write. }"),
  ];
  const registered = registrationsOf(
    configOf(`${models}${validText}${agents.join("")}`),
    new Map(),
  );
  const asking = registered
    .map((one) => AgentRegistration.parse(one))
    .filter((one) => one.asks_model);
  expect(asking.map(({ name }) => String(name))).toEqual(["b"]);
});

test("an agent that is a prompt has more time than one with a command, where sett.yml names none", () => {
  const models =
    "models:\n  local: { provider: openai, base_url: http://127.0.0.1:1/v1, model: x }\n";
  const prompt =
    "image: b, model: local, prompts: { execution: Write. }, bids: [{ on: A, bid: claim }]";
  const agents = `  b: { ${prompt} }\n  c: { ${prompt}, command: [run] }\n  d: { ${prompt}, timeout: 1h }\n`;
  const { agents: configured } = configOf(`${models}${validText}${agents}`);
  expect(configured.map(({ timeout_ms }) => timeout_ms / 60_000)).toEqual([5, 30, 5, 60]);
});

test("an external agent is registered, and not started", () => {
  const text = `${validText}  ada:\n    external: true\n    role: approver\n    bids: [{ on: Draft, bid: review }]\n    retries: 1\n  b: { external: true, on_missing_bid: ignore }\n`;
  const config = configOf(text);
  expect(config.agents.map(({ name }) => String(name))).toEqual(["a"]);
  const [, ada, b] = registrationsOf(config, new Map()).map((one) => AgentRegistration.parse(one));
  expect(JSON.parse(JSON.stringify(ada))).toEqual({
    name: "ada",
    role: "approver",
    external: true,
    replicas: 1,
    strategy: "reuse",
    bids: [{ on: "Draft", bid: "review" }],
    on_missing_bid: "wait",
    workspace_mode: "ro",
    timeout_ms: 300_000,
    retries: 1,
    image: "",
    position: 1,
  });
  expect(b).toMatchObject({
    name: "b",
    role: "b",
    external: true,
    on_missing_bid: "ignore",
  } as never);
});

test("a person is registered with their rules, and nothing is started", () => {
  const text = `${validText}  maintainer: { human: true, bids: [{ on: ReleasePlan, bid: review }] }\n`;
  const config = configOf(text);
  expect(config.agents.map(({ name }) => String(name))).toEqual(["a"]);
  const [, maintainer] = registrationsOf(config, new Map()).map((one) =>
    AgentRegistration.parse(one),
  );
  expect(JSON.parse(JSON.stringify(maintainer))).toEqual({
    name: "maintainer",
    role: "maintainer",
    human: true,
    replicas: 1,
    strategy: "reuse",
    bids: [{ on: "ReleasePlan", bid: "review" }],
    on_missing_bid: "ignore",
    workspace_mode: "ro",
    timeout_ms: 300_000,
    retries: 0,
    image: "",
    position: 1,
  });
});

test("an agent whose prompt no model reads ignores everything, by a rule", () => {
  const agents =
    "  b: { image: b, command: [run], prompts: { claim: Take code. } }\n  c: { image: b, command: [run], prompts: { claim: Take code. }, bid_command: [x] }\n";
  const [a, b, c] = registrationsOf(configOf(`${validText}${agents}`), new Map());
  expect([a, b, c].map((one) => one?.bids)).toEqual([[], [{ on: "*", bid: "ignore" }], []]);
});

test("agents, external agents and people have their places in the file, whatever their kind", () => {
  const text = `${validText.replace(/ {2}a:/, "  zoe: { human: true, bids: [{ on: A, bid: review }] }\n  a:")}  b: { external: true }\n  c: { image: c, command: [run] }\n`;
  const places = registrationsOf(configOf(text), new Map()).map(({ name, position }) => [
    String(name),
    position,
  ]);
  expect(places.toSorted()).toEqual([
    ["a", 1],
    ["b", 2],
    ["c", 3],
    ["zoe", 0],
  ]);
});

test("people alone are a warning, for no agent can do any work; an external agent may do some", () => {
  const people =
    "version: '1.0'\nagents:\n  ada: { human: true, bids: [{ on: '*', bid: review }] }\n";
  const warningsOf = (text: string) =>
    parseConfig({ text, file: "sett.yml", folder: "/work", host: {} }).warnings;
  expect(warningsOf(people)).toMatchObject([
    { line: 2, path: "agents", sentence: expect.stringContaining("no agent does any work") },
  ]);
  expect(warningsOf(`${people}  hand: { external: true }\n`)).toEqual([]);
});

test("a rule that waits for a role which no agent has is a warning with the nearest role", () => {
  const text = `${validText}    bids:\n      - { on: X, from: wrter, bid: claim }\n      - { on: Y, from: user, bid: claim }\n  b: { image: b, command: [r], role: writer }\n`;
  const { warnings } = parseConfig({ text, file: "sett.yml", folder: "/work", host: {} });
  expect(warnings).toEqual([
    {
      file: "sett.yml",
      line: 7,
      column: 24,
      path: "agents.a.bids[0].from",
      sentence: "no agent has the role `wrter`; did you mean `writer`?",
    },
  ]);
});

test("a rule for what is nearly a type of Sett's own is a warning with that type", () => {
  const bids = ["GoalDefind", "codecommit", "GoalDefined", "Goal*", "Report"].map(
    (on) => `      - { on: "${on}", bid: claim }\n`,
  );
  const text = `${validText}    bids:\n${bids.join("")}`;
  const { warnings } = parseConfig({ text, file: "sett.yml", folder: "/work", host: {} });
  expect(warnings.map(({ path, sentence }) => [path, sentence])).toEqual([
    ["agents.a.bids[0].on", "`GoalDefind` is no type of Sett's: did you mean `GoalDefined`?"],
    ["agents.a.bids[1].on", "`codecommit` is no type of Sett's: did you mean `CodeCommit`?"],
  ]);
});

test("the role of an external agent counts as a role that an agent has", () => {
  const text = `${validText}    bids:\n      - { on: X, from: approver, bid: claim }\n  ada: { external: true, role: approver }\n`;
  expect(parseConfig({ text, file: "sett.yml", folder: "/work", host: {} }).warnings).toEqual([]);
});

test("a merge key takes settings over from another agent, and mistakes in them point at where they are written", () => {
  const text =
    "version: '1.0'\nagents:\n  a: &base\n    image: x\n    command: [r]\n    retries: 1\n  b:\n    <<: *base\n    role: other\n";
  expect(
    configOf(text).agents.map(({ role, retries, command }) => [String(role), retries, command]),
  ).toEqual([
    ["a", 1, ["r"]],
    ["other", 1, ["r"]],
  ]);
  const { mistakes } = parseConfig({
    text: text.replace("retries: 1", "retries: x"),
    file: "sett.yml",
    folder: "/work",
    host: {},
  });
  expect(mistakes.map(({ line, column, path }) => [line, column, path])).toEqual([
    [6, 14, "agents.a.retries"],
    [6, 14, "agents.b.retries"],
  ]);
});

test("the orchestrator learns how long events of no goal are kept, where sett.yml says it", () => {
  expect(policyOf(configOf(validText))).not.toHaveProperty("other_events_ms");
  const text = `${validText}retention: { goals: 90d, transcripts: 30d, other_events: 7d }\n`;
  expect(policyOf(configOf(text))).toMatchObject({ other_events_ms: 7 * 86_400_000 });
  expect(policyOf(configOf(text))).not.toHaveProperty("goals_ms");
});

test("the orchestrator learns whether the log is sealed, and whether it has to be", () => {
  for (const text of ["proof: on\n", "proof: off\n", "proof: { required: false }\n"]) {
    const policy = policyOf(configOf(`${validText}${text}`));
    expect(policy).not.toHaveProperty("proof_required");
    expect(policy.sealed).toBe(text.includes("off") ? undefined : true);
  }
  const text = `${validText}proof: { required: true }\n`;
  expect(Policy.parse(policyOf(configOf(text)))).toMatchObject({
    proof_required: true,
    sealed: true,
  });
  expect(configOf(text).proof).toEqual({ mode: "required" });
});

import { expect, test } from "bun:test";
import { parseConfig } from "../../../../lib/config/parse-config.ts";
import { registrationsOf } from "../../../../lib/config/registrations.ts";
import { AgentRegistration } from "../../../../lib/model/agent.ts";
import { validText } from "../../../support/config/config-file.ts";

const people = `people:
  ada: { email: ada@example.org, groups: [owners] }
  bob: { groups: [owners, security] }
  eve: {}
`;
const parse = (agent: string, known = people) =>
  parseConfig({
    text: `${validText}  lead: { ${agent}, bids: [{ on: Plan, bid: review }] }\n${known}`,
    ...{ file: "sett.yml", folder: "/work", host: {} },
  });
const mistakes = (agent: string, known = people) =>
  parse(agent, known).mistakes.map(({ path, sentence }) => `${path}: ${sentence}`);

test("the people of an agent are registered with it, by their own names and those of groups", () => {
  const { config } = parse("human: true, people: [owners, eve]");
  const registrations = config === undefined ? [] : registrationsOf(config, new Map());
  const lead = registrations.find(({ name }) => name === "lead");
  expect(AgentRegistration.parse(lead).people).toEqual([
    { name: "ada", email: "ada@example.org" },
    { name: "bob" },
    { name: "eve" },
  ]);
});

test("an agent that names no people may be spoken for by all", () => {
  const { config } = parse("human: true");
  expect(config?.people[0]).not.toHaveProperty("people");
});

test("a name that is no person and no group is a mistake, with the one that was meant", () => {
  expect(mistakes("human: true, people: [owner, ada]")).toEqual([
    "agents.lead.people[0]: no person and no group of `people` has the name `owner`; did you mean `owners`?",
  ]);
  expect(mistakes("human: true, people: [ada]", "")).toEqual([
    "agents.lead.people[0]: no person and no group of `people` has the name `ada`",
  ]);
});

test("only people have people, and addresses are addresses", () => {
  expect(mistakes("image: a, command: [run], people: [ada]")).toEqual([
    "agents.lead.people: needs `human: true`: only people are asked by name",
  ]);
  expect(mistakes("human: true", "people: { ada: { email: ada } }\n")).toEqual([
    "people.ada.email: must be an address such as `ada@example.org`",
  ]);
});

test("approvals and `not_by` are registered, and refused where they could never be met", () => {
  const signed = `${people}  signers: ./signers\n  signed: required\n`;
  const rules = "human: true, people: [owners], approvals: 2, not_by: [poster]";
  const { config } = parse(rules, signed);
  const registrations = config === undefined ? [] : registrationsOf(config, new Map());
  expect(AgentRegistration.parse(registrations.find(({ name }) => name === "lead"))).toMatchObject({
    ...{ approvals: 2, not_by: ["poster"], people: [{ name: "ada" }, { name: "bob" }] },
  });
  expect(mistakes("human: true, people: [owners], approvals: 3")).toEqual([
    "agents.lead.approvals: is more than the people who may approve, who are 2",
  ]);
  expect(mistakes("human: true, approvals: 2, not_by: [hand]", signed)).toEqual(
    ["approvals", "not_by"].map(
      (key) =>
        `agents.lead.${key}: needs \`people\`: who may approve. Without it every name that is typed would be a person of its own`,
    ),
  );
  expect(mistakes("human: true, people: [owners], not_by: [poster]")).toEqual([
    "agents.lead.not_by: needs `signed: required` in `people`: without signatures a person may take another name",
  ]);
  expect(mistakes("human: true, people: [owners], approvals: 1, not_by: [boss]", signed)).toEqual([
    "agents.lead.approvals: must be 2 or more: without it one approval is enough",
    expect.stringContaining("agents.lead.not_by[0]: must be"),
  ]);
  expect(mistakes("image: a, command: [run], approvals: 2")).toEqual([
    "agents.lead.approvals: needs `human: true`: only people are asked by name",
  ]);
});

test("as many people as approvals are too few where one of them has had a part in the work", () => {
  const signed = `${people}  signers: ./signers\n  signed: required\n`;
  const warnings = (rules: string) =>
    parse(`human: true, ${rules}`, signed).warnings.map(({ path, sentence }) => [path, sentence]);
  expect(warnings("people: [owners], approvals: 2, not_by: [poster]")).toEqual([
    ["agents.lead.not_by", expect.stringContaining("one of `ada`, `bob` has had a part in it")],
  ]);
  expect(warnings("people: [eve], not_by: [poster]")).toEqual([
    ["agents.lead.not_by", expect.stringContaining("one of `eve`")],
  ]);
  for (const rules of ["people: [owners, eve], approvals: 2, not_by: [poster]", "people: [eve]"])
    expect(warnings(rules)).toEqual([]);
});

test("an account of a forge belongs to the trigger, which alone would look at it", () => {
  expect(mistakes("human: true", "people: { ada: { github: ada-l } }\n")).toHaveLength(1);
});

test.each([
  [
    "signers: { email: a@b.org }",
    "people.signers: is the file of the keys of people, as text: no person has this name",
  ],
  ['signers: ""', "people.signers: must name a file"],
  ["signed: { email: a@b.org }", "people.signed: must be `required`: no person has this name"],
  ["signed: true, signers: ./k", "people.signed: must be `required`: no person has this name"],
  ["signed: required", "people.signed: needs `signers`: no signature would count"],
  ["Ada: {}", "people.Ada: must be a name of lower-case letters, digits and `-`, such as `ada`"],
])("how people sign, and who they are, are kept apart: %s", (file, sentence) => {
  expect(mistakes("human: true", `people: { ${file} }\n`)).toEqual([sentence]);
});

test("what says how people sign is no person that an agent can name", () => {
  expect(mistakes("human: true, people: [signers]", "people: { signers: ./k, ada: {} }\n")).toEqual(
    ["agents.lead.people[0]: no person and no group of `people` has the name `signers`"],
  );
});

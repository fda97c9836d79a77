import { expect, test } from "bun:test";
import { parseConfig } from "../../../../lib/config/parse-config.ts";
import { registrationsOf } from "../../../../lib/config/registrations.ts";
import { AgentRegistration } from "../../../../lib/model/agent.ts";
import { validText } from "../../../support/config/config-file.ts";

const usual = {
  agent: "forge: hub, pull_request: { base: main }, bids: [{ on: CodeCommit, bid: review }]",
  forges: "hub: { kind: gitea, url: 'http://git.example.org', repository: acme/door, token: key }",
  people: "ada: { accounts: { hub: Ada-L } }, bob: {}",
};
function parse(changed: Partial<typeof usual>) {
  const { agent, forges, people } = { ...usual, ...changed };
  return parseConfig({
    text: `${validText}  pull: { ${agent} }\nforges: { ${forges} }\npeople: { ${people} }\nsecrets: { key: { file: ./key } }\n`,
    ...{ file: "sett.yml", folder: "/work", host: {} },
  });
}
const mistakes = (changed: Partial<typeof usual>) =>
  parse(changed).mistakes.map(({ path, sentence }) => `${path}: ${sentence}`);

test("an agent of a forge is registered as a reviewer who takes no lease, with the people of the forge", () => {
  const { config, warnings } = parse({});
  expect(warnings).toEqual([]);
  expect(config?.builtIn[0]).toMatchObject({ forge: "hub", accounts: { "ada-l": "ada" } });
  const all = config === undefined ? [] : registrationsOf(config, new Map());
  const registered = AgentRegistration.parse(all.find(({ name }) => name === "pull"));
  expect(registered).toMatchObject({ human: true, built_in: "forge", people: [{ name: "ada" }] });
});

test("an agent of a forge that could never approve is a mistake", () => {
  expect(mistakes({ people: "bob: {}" })).toEqual([
    "agents.pull.forge: needs a person in `people` with an account there, `accounts: { hub: … }`: no approval would ever count",
  ]);
  const agent = "forge: hub, bids: [{ on: CodeCommit, bid: review }]";
  expect(
    mistakes({ agent: `${agent}, pull_request: { base: main, approvals: 0 }`, people: "" }),
  ).toEqual([]);
  expect(
    mistakes({ agent: `${agent}, pull_request: { base: main, approvals: 0, checks: none }` }),
  ).toEqual([
    "agents.pull.pull_request: needs `approvals` or `checks`: with neither, nothing at the forge says yes",
  ]);
});

test("a draft is not merged", () => {
  const agent = usual.agent.replace("main }", "main, draft: true, merge: squash }");
  expect(mistakes({ agent })).toEqual([
    "agents.pull.pull_request.merge: cannot be combined with `draft: true`: no forge merges a draft",
  ]);
});

test("an agent of a forge has no container, and does nothing but review", () => {
  expect(mistakes({ agent: usual.agent.replace("review", "exclusive") })).toEqual([
    "agents.pull.bids[0].bid: must be `review` or `ignore`: this agent reviews by what a forge says",
  ]);
  expect(mistakes({ agent: `${usual.agent}, image: a` })).toEqual([
    "agents.pull.image: cannot be combined with `forge`: Sett itself does the work of this agent",
  ]);
  expect(mistakes({ agent: "forge: hub, bids: [{ on: CodeCommit, bid: review }]" })).toEqual([
    "agents.pull.pull_request: is missing: `forge` needs it",
  ]);
  expect(mistakes({ agent: "image: a, command: [a], pull_request: { base: main }" })).toEqual([
    "agents.pull.pull_request: needs `forge`, which says where",
  ]);
});

test("a forge that is not there, has no address, or a token that is not there, is a mistake", () => {
  expect(mistakes({ agent: usual.agent.replace("hub", "hup") })).toEqual([
    "agents.pull.forge: `forges` has no `hup`; did you mean `hub`?",
  ]);
  expect(mistakes({ forges: "hub: { kind: gitea, repository: acme/door, token: key }" })).toEqual([
    "forges.hub: needs `url`, which says where it is",
  ]);
  expect(mistakes({ forges: "hub: { kind: github, repository: acme/door, token: ky }" })).toEqual([
    "forges.hub.token: `secrets` has no `ky`: did you mean `key`?",
  ]);
  expect(mistakes({ forges: "hub: { kind: github, repository: ../door, token: key }" })).toEqual([
    "forges.hub.repository: must be an owner and a name, such as `acme/door`",
  ]);
});

test("the branch of a pull request has the goal in its name, and no way out of its folder", () => {
  for (const branch of ["main", "{goal}..", "a//{goal}", "-{goal}", "{goal}.lock", "{goal} x"])
    expect(
      mistakes({
        agent: usual.agent.replace("base: main", `base: main, branch: "${branch}"`),
      }),
    ).toHaveLength(1);
});

test("more approvals than people can give are a mistake", () => {
  const agent = usual.agent.replace("base: main", "base: main, approvals: 2");
  const sentence =
    "agents.pull.pull_request.approvals: is more than the accounts that its people have there, which are 1";
  expect(mistakes({ agent })).toEqual([sentence]);
  const people = "ada: { accounts: { hub: a }, groups: [x] }, bob: { accounts: { hub: b } }";
  expect(mistakes({ agent, people })).toEqual([]);
  expect(mistakes({ agent: `${agent}, people: [x]`, people })).toEqual([sentence]);
});

test("the address of a forge has no password", () => {
  const forges = (url: string) =>
    `hub: { kind: gitea, url: '${url}', repository: acme/door, token: key }`;
  expect(mistakes({ forges: forges("https://ada:secret@git.example.org") })).toEqual([
    "forges.hub.url: must have no user, no `?` and no `#`: the token is one of `secrets`",
  ]);
});

test("an address of this machine is said to be that of the container", () => {
  const forges = "hub: { kind: gitea, url: 'http://localhost:3000', repository: a/b, token: key }";
  expect(parse({ forges }).warnings).toEqual([
    expect.objectContaining({
      path: "forges.hub.url",
      sentence: expect.stringContaining("write `host.docker.internal` for this machine"),
    }),
  ]);
});

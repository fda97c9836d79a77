// The service of forges in the plan of an instance: what it gets, and what is in no description.
import { expect, test } from "bun:test";
import { repositoryAt, sampleConfig, samplePlan } from "../../../../../support/cli/sample-plan.ts";

const text = (agents: string) => `version: '1.0'
secrets: { hub-token: { file: ./token } }
forges: { hub: { kind: github, repository: acme/door, token: hub-token } }
people: { ada: { accounts: { hub: Ada-L } } }
agents:
  one: { image: "some/image:1", command: [run] }
${agents}`;
const pull =
  "  pull: { forge: hub, bids: [{ on: CodeCommit, bid: review }], pull_request: { base: main } }\n";

function planOf(agents: string) {
  return samplePlan(sampleConfig(text(agents)), {
    api: {
      tokens: [],
      tls: undefined,
      repository: { toplevel: "/home/ada/repository", commonDir: "/home/ada/repository/.git" },
    },
    repository: repositoryAt("/home/ada/repository/.git/sett/objects/demo", "/exchange"),
  });
}

test("it is planned where an agent makes pull requests, and not otherwise", () => {
  expect(planOf("").forge).toBeUndefined();
  const { forge, api, agents } = planOf(pull);
  expect(forge?.spec).toMatchObject({
    name: "sett-demo-forge",
    network: { name: "sett-demo.open" },
    capabilities: "none",
    isRootReadOnly: true,
  });
  expect(api).toBeUndefined();
  // Sett itself does the agent's work: there is no container of it.
  expect(agents.map(({ agent }) => String(agent))).toEqual(["one"]);
});

test("it writes nothing in the repository, has no socket of the Engine, and no description has its token", () => {
  const { forge } = planOf(pull);
  const mounts = forge?.spec.mounts ?? [];
  const binds = mounts.flatMap((mount) =>
    mount.kind === "bind" ? [`${mount.path} ${mount.access}`] : [],
  );
  expect(binds).toEqual(["/home/ada/repository/.git ro"]);
  expect(JSON.parse(forge?.spec.env.SETT_FORGES ?? "{}")).toMatchObject({
    forges: { hub: { token: "hub-token" } },
    agents: [{ name: "pull", forge: "hub", accounts: { "ada-l": "ada" } }],
  });
});

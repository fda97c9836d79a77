import { expect, test } from "bun:test";
import { parseConfig } from "../../../../lib/config/parse-config.ts";
import { registrationsOf } from "../../../../lib/config/registrations.ts";
import { validText } from "../../../support/config/config-file.ts";

const usual = "image: a, lane: main, bids: [{ on: CodeCommit, bid: exclusive }]";

function parse(agent: string) {
  const text = `${validText}  merge: { ${agent} }\n`;
  return parseConfig({ text, file: "sett.yml", folder: "/work", host: {} });
}
const mistakes = (agent: string) =>
  parse(agent).mistakes.map(({ path, sentence }) => `${path}: ${sentence}`);

test("an agent of a lane needs no command, publishes, and is registered with its lane", () => {
  const { config, mistakes: found } = parse(`${usual}, merge: { gates: [[make, test]] }`);
  expect(found).toEqual([]);
  const merge = config?.agents.find(({ name }) => String(name) === "merge");
  expect(merge).toMatchObject({
    ...{ lane: "main", command: [], timeout_ms: 300_000 },
    ...{ merge: { method: "merge", gates: [["make", "test"]] }, workspace: { mode: "rw" } },
  });
  const all = config === undefined ? [] : registrationsOf(config, new Map());
  expect(all.map(({ lane }) => lane).filter(Boolean)).toEqual(["main"] as never);
});

test.each([
  [`${usual}, command: [a]`, /merge\.command: .*Sett itself does the work of a lane/],
  [`${usual}, workspace: { mode: ro }`, /workspace\.mode: .*must be `rw`/],
  [`${usual}, workspace: { paths: ["a/"] }`, /workspace\.paths: .*merges whole commits/],
  [`${usual}, replicas: 2, strategy: fresh_per_call`, /replicas: .*one goal after the other/],
  [`${usual}, merge: { gates: [make] }`, /gates\[0\]: .*must be a list/],
  ["image: a, lane: Main, bids: []", /lane: .*lower-case/],
  ["image: a, lane: main", /merge\.bids: .*must say what lands/],
  ["image: a, lane: main, bids: [{ on: A, bid: review }]", /bids\[0\]\.bid: .*reviews nothing/],
  ["image: a, command: [a], merge: { method: squash }", /merge\.merge: .*needs a `lane`/],
])("%s is a mistake", (agent, message) => {
  expect(mistakes(agent).join("\n")).toMatch(message);
});

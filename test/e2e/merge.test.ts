// Two agents commit beside each other, and a third one merges what they have made; in a shallow
// clone, as a forge checks it out. By night they are in containers.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Artefact } from "../../lib/model/artefact.ts";
import { fileWrittenBy } from "../support/docs/pages.ts";
import { isNight } from "../support/nightly.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";

const writes = (file: string) => `set -e
echo ${file} > ${file}.txt
git add -A
git commit --quiet --message "Write ${file}" >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "Part", artefact_payload: $commit, summary: "${file}"}'
`;
const bids = (bid: string) =>
  `    bids:\n      - { on: GoalDefined, bid: ${bid} }\n    workspace: { mode: rw }\n`;

const withoutContainers = isNight ? [] : ["--runtime", "process"];

let origin: SettWorkspace;
let sett: SettWorkspace;
let artefacts: Artefact[];

beforeAll(async () => {
  origin = await SettWorkspace.create({
    ...scriptAgent("walls", writes("walls")),
    ...scriptAgent("roof", writes("roof")),
    "agents/merger/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n",
    "agents/merger/run.sh": fileWrittenBy("docs/guides/git.md", "agents/merger/run.sh"),
    "sett.yml": settYml({ walls: bids("claim"), roof: bids("claim"), merger: bids("exclusive") }),
  });
  await origin.commit("Build a house");
  sett = await origin.shallowClone();
  await sett.need("up", "--name", sett.name, ...withoutContainers);
  const { id } = JSON.parse(await sett.need("forage", "--watch", "--json", "--goal", "Build it"));
  artefacts = await sett.artefacts(id);
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
  await origin[Symbol.asyncDispose]();
});

test("the merged commit has both parts, and is there for plain git", async () => {
  const parts = artefacts.filter(({ type }) => type === "Part");
  const merged = artefacts.find(({ type }) => type === "CodeCommit");
  expect(parts.map(({ produced_by_agent }) => produced_by_agent).sort()).toEqual(["roof", "walls"]);
  expect(merged?.source_artefacts).toEqual(expect.arrayContaining(parts.map(({ id }) => id)));
  await sett.git("merge", "--quiet", `refs/sett/${sett.name}/${merged?.id}`);
  expect(await sett.git("ls-files", "*.txt")).toBe("roof.txt\nwalls.txt");
  for (const { payload } of parts) await sett.git("merge-base", "--is-ancestor", payload, "HEAD");
  expect(await sett.git("rev-parse", "--is-shallow-repository")).toBe("true");
});

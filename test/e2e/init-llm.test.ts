// Shows what `sett init --llm` writes, as it is but for the address of the model: two prompts reach
// a goal together. Without containers, and with a model that plays its part.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artefact } from "../../lib/model/artefact.ts";
import { scriptedModel } from "../support/models/scripted-model.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";

const key = "sk-ant-the-key-of-this-test";
const problem = {
  file: "greeting.txt",
  line: 1,
  severity: "major",
  text: "The goal asks for a greeting in Latin.",
};

/**
 * One line for each call: of the coder for its bid and its work, of the reviewer, of the coder for
 * the rework, of the reviewer again.
 */
const played = () =>
  scriptedModel("anthropic", [
    { call: [["bid", { word: "exclusive", reason: "The goal asks for a change." }]] },
    { call: [["write_file", { path: "greeting.txt", content: "hello\n" }]] },
    { call: [["finish", { type: "CodeCommit", summary: "Greets", message: "Greet the reader" }]] },
    { call: [["feedback", { summary: "Not Latin", problems: [problem] }]] },
    { call: [["write_file", { path: "greeting.txt", content: "salve\n" }]] },
    {
      call: [
        [
          "finish",
          { type: "CodeCommit", summary: "Greets in Latin", message: "Greet the reader in Latin" },
        ],
      ],
    },
    { call: [["approve", { summary: "It is Latin." }]] },
  ]);

let model: ReturnType<typeof played>;
let sett: ProcessSett;
let artefacts: Artefact[];
let goal: string;

beforeAll(async () => {
  model = played();
  sett = await ProcessSett.create("");
  sett.env = { ANTHROPIC_API_KEY: key };
  await sett.need("init", "--llm", "--force");
  const written = await readFile(join(sett.folder, "sett.yml"), "utf8");
  await sett.write(
    written.replace(
      "    provider: anthropic\n",
      `    provider: anthropic\n    base_url: ${model.url}\n`,
    ),
  );
  await sett.up();
  goal = (await sett.need("forage", "--goal", "Add a greeting in Latin")).trim();
  await sett.need("forage", "--watch", "--id", goal, "--goal", "Add a greeting in Latin");
  artefacts = JSON.parse(await sett.need("hoard", "--json", "--goal", goal));
}, 300_000);

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

test("the coder commits, the reviewer finds a problem, the coder solves it, and the reviewer approves", async () => {
  const shown = artefacts.map(({ type, version, produced_by_role: by, metadata }) => [
    type,
    version,
    by,
    metadata.summary,
  ]);
  expect(shown).toEqual([
    ["GoalDefined", 1, "user", expect.anything()],
    ["CodeCommit", 1, "coder", "Greets"],
    ["Review", 1, "reviewer", "Not Latin"],
    ["CodeCommit", 2, "coder", "Greets in Latin"],
    ["Review", 1, "reviewer", "It is Latin."],
  ]);
  const commit = artefacts[3]?.payload ?? "";
  expect(await sett.git("show", `${commit}:greeting.txt`)).toBe("salve");
  expect(await sett.git("log", "-1", "--format=%s", commit)).toBe("Greet the reader in Latin");
});

test("the model reads the prompts of the file, the review, and the changes that it is to review", () => {
  const [bid, work, , review, rework] = model.requests.map(({ body }) => JSON.stringify(body));
  expect(bid).toContain("You take goals that ask for a change of this repository");
  expect(work).toContain("You are a careful software engineer.");
  // The last commit of the repository is not what the goal is about.
  expect(work).not.toContain("commit changes");
  expect(review).toContain("You review a commit as a colleague would");
  expect(review).toContain("+hello");
  expect(rework).toContain(problem.text);
});

test("the key reaches the provider, and is nowhere else; what was spent is known", async () => {
  expect(model.requests.map(({ headers }) => headers.get("x-api-key"))).toEqual(
    model.requests.map(() => key),
  );
  const { spent } = JSON.parse(await sett.need("budget", goal, "--json"));
  expect(spent).toMatchObject({ calls: 7, tokens: model.tokens });
  for (const part of ["coder", "reviewer", "gateway", "orchestrator"])
    expect(await sett.need("logs", part)).not.toContain(key);
  expect(await sett.need("watch", "--no-follow", "-o", "jsonl")).not.toContain(key);
});

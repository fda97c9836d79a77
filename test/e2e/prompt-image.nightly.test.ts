// An agent that is a prompt, in an image that has a shell and nothing else: no git, no libc. What
// the worker needs comes with the cub.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { $ } from "bun";
import type { Artefact } from "../../lib/model/artefact.ts";
import { scriptedModel } from "../support/models/scripted-model.ts";
import { textOf } from "../support/models/worker-scene.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

const play = () =>
  scriptedModel(
    "openai",
    [
      { call: [["run", { command: "env" }]] },
      {
        call: [
          ["search", { pattern: "\\w+ sett" }],
          ["list_files", {}],
        ],
      },
      {
        call: [
          ["write_file", { path: "../outside", content: "x" }],
          ["write_file", { path: "poem.txt", content: "badger\n" }],
        ],
      },
      { call: [["ask", { question: "Is one line enough?" }]] },
      { call: [["run", { command: "cat poem.txt" }]] },
      { call: [["finish", { type: "CodeCommit", summary: "A poem", message: "Add a poem" }]] },
    ],
    "0.0.0.0",
  );

let model: ReturnType<typeof play>;
let sett: SettWorkspace;

beforeAll(async () => {
  model = play();
  sett = await SettWorkspace.create({
    "agents/poet/Dockerfile":
      'FROM scratch\nCOPY busybox /bin/busybox\nRUN ["/bin/busybox", "--install", "/bin"]\n',
    "sett.yml": [
      "version: '1.0'",
      "models:",
      `  local: { provider: openai, base_url: "http://host.docker.internal:${model.port}/v1", model: m, price: { input: 0, output: 0 } }`,
      "agents:",
      "  poet:",
      "    build: { context: ./agents/poet }",
      "    model: local",
      "    prompts: { execution: You write poems. }",
      "    bids: [{ on: GoalDefined, bid: exclusive }]",
      "    workspace: { mode: rw }",
      "",
    ].join("\n"),
  });
  await $`cp /bin/busybox agents/poet/busybox`.cwd(sett.folder);
  await sett.commit("Add a sett");
  await sett.up();
}, 300_000);

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

test("it reads, writes, asks and commits", async () => {
  const goal = await sett.forage("Write a poem");
  const question = await waitFor(
    "the question",
    async () => (await sett.artefacts(goal)).find(({ type }) => type === "Question"),
    {
      everyMs: 200,
    },
  );
  expect(question.payload).toBe("Is one line enough?");
  await sett.need("answer", question.id, "Yes.");
  const isCommit = ({ type }: Artefact) => type === "CodeCommit";
  const result = await waitFor(
    "the commit",
    async () => (await sett.artefacts(goal)).find(isCommit),
    { everyMs: 200 },
  );
  // Commits reach the repository with the next command after them.
  await sett.need("hoard");
  expect(await $`git show ${result.payload}:poem.txt`.cwd(sett.folder).text()).toBe("badger\n");
  const base = (await $`git rev-parse HEAD`.cwd(sett.folder).text()).trim();
  expect(await $`git log --format=%an:%s ${base}..${result.payload}`.cwd(sett.folder).text()).toBe(
    "poet:Add a poem\n",
  );
  const [first, second, third, fourth, resumed, last] = model.requests.map(textOf);
  expect(first).toContain("You write poems.");
  expect(second).toContain("HOME=/tmp");
  expect(second).not.toMatch(/ANTHROPIC_|OPENAI_|SETT_MODEL|sett_grant|LD_LIBRARY_PATH=\/cub/);
  expect(third).toContain("agents/poet/Dockerfile");
  expect(fourth).toContain("is outside of the workspace /workspace.");
  expect(resumed).toContain("Yes.");
  expect(last).toContain("badger");
}, 300_000);

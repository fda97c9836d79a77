// The adapter of coding CLIs, as the cub runs it: from the tool contract to a prompt, and from what
// a CLI has changed to one commit. The CLIs here are scripts; ready-agents.nightly has real ones.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  FullToolOutput,
  formatToolInput,
  ShortToolOutput,
  type ToolInput,
} from "../../../lib/model/tool-contract.ts";
import { runCli, runScript } from "../../support/agents/run-agent.ts";
import { byCoder, goalOf, workInput, workRepository } from "../../support/models/worker-scene.ts";
import { nightly } from "../../support/nightly.ts";
import { root } from "../../support/root.ts";

const Output = FullToolOutput.or(ShortToolOutput);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-cli-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** `script`: a CLI in shell, with the file of the prompt as `$1`. */
async function work(script: string, input: ToolInput, settings: Record<string, string> = {}) {
  using repository = workRepository();
  const before = repository.head();
  const cli = join(folder, "robot.sh");
  await writeFile(cli, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const run = await runCli(cli, formatToolInput(input), repository.folder, settings);
  const answer = run.exitCode === 0 ? Output.parse(JSON.parse(run.stdout)) : undefined;
  return {
    ...{ ...run, answer, before, head: repository.head() },
    log: repository.git("log", "--format=%s", `${before}..HEAD`),
    names: repository.git("diff", "--name-only", before, "HEAD"),
    status: repository.git("status", "--porcelain"),
  };
}

const goal = goalOf('Write a greeting, and "quote" it: `$HOME`.');

test("what the CLI has changed is one commit, and its words are log", async () => {
  const { answer, log, names, stderr, head, status } = await work(
    'cp "$1" prompt.md; echo hi > greeting.txt; rm README.md; echo I am done.',
    workInput(goal),
    { SETT_PROMPT_EXECUTION: "You are polite." },
  );
  expect(answer).toMatchObject({ artefact_type: "CodeCommit", artefact_payload: head });
  expect([log.split("\n").length, names, status]).toEqual([
    1,
    "README.md\ngreeting.txt\nprompt.md",
    "",
  ]);
  expect(stderr).toEndWith("I am done.\n");
});

nightly.each([
  ["a long one is cut between two characters", "ä".repeat(100), "ä".repeat(72)],
  ["of several lines the first one that says something counts", "\n\n  Greet. \nMore.", "Greet."],
  ["an empty one says nothing, so that the type does", " \n", "Plan"],
])("the summary of what is to be done is the message: %s", async (_what, summary, message) => {
  const plan = byCoder({ type: "Plan", metadata: { summary } });
  const { log, answer, stderr } = await work("echo hi > greeting.txt", workInput(plan));
  expect([log, answer?.summary]).toEqual([message, message]);
  expect(stderr).not.toContain("UTF-8");
});

test("the prompt has the agent's own text, the goal as it is, and the reviews of a rework", async () => {
  const target = byCoder({ type: "CodeCommit", payload: "0".repeat(40) });
  const review = byCoder({
    structural_type: "Review",
    type: "Review",
    payload: "Greet the world.",
  });
  const { stderr } = await work(
    'cat "$1"; echo > new',
    workInput(target, { context_chain: [goal], additional_context: [review] }),
    { SETT_PROMPT_EXECUTION: "You are polite." },
  );
  const parts = [
    "You are polite.",
    "Do not commit.",
    "`$HOME`.",
    "# CodeCommit, by coder",
    "Greet the world.",
  ];
  const places = parts.map((part) => stderr.indexOf(part));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBe(0);
});

test("commits that the CLI makes all the same become the one, with its words", async () => {
  const commit = (name: string) =>
    `echo x > ${name}; git add ${name}; git commit --quiet --message "Add ${name}"`;
  const { log, names, answer } = await work(
    `${commit("one")}; ${commit("two")}; echo > three`,
    workInput(goal),
  );
  expect(log).toBe("Add two");
  expect(names).toBe("one\nthree\ntwo");
  expect(answer).toMatchObject({ summary: "Add two" });
});

/** Two branches that have changed the same file, and one that has another file. */
const branches = `commit() { echo "$1" > key; git add key; git commit --quiet --message "$1"; }
commit base; git checkout --quiet -b other; commit theirs; git checkout --quiet -
commit own; git checkout --quiet -b beside; echo > new; git add new; git commit --quiet -m new; git checkout --quiet -`;

test("a merge that the CLI has not committed is a part of the one commit, with its words", async () => {
  const { answer, log, names, status } = await work(
    `${branches}; git commit --quiet --allow-empty -m Last; git merge --no-commit --no-ff beside`,
    workInput(goal),
  );
  expect(answer).toMatchObject({ artefact_type: "CodeCommit", summary: "Last" });
  expect([log, names, status]).toEqual(["Last", "key\nnew", ""]);
});

test("files in conflict, and a rebase that has not ended, are no result", async () => {
  const robot = async (script: string) => {
    const { exitCode, stdout, stderr } = await work(`${branches}; ${script}`, workInput(goal));
    expect({ isDone: exitCode === 0, stdout }).toEqual({ isDone: false, stdout: "" });
    return stderr.trimEnd().split("\n").at(-1);
  };
  expect(await robot("git merge other || true")).toBe("robot has left files in conflict: key");
  expect(await robot("git rebase --exec false other~1 beside || true")).toBe(
    "robot has not ended a rebase, or a series of picked commits.",
  );
});

test("files of the CLI's own stay out of the commit", async () => {
  await writeFile(join(folder, "not-committed"), ".robot*\n");
  const { names } = await work("echo > .robot.history; echo > wanted", workInput(goal));
  await rm(join(folder, "not-committed"));
  expect(names).toBe("wanted");
});

test("a question takes the place of the commit", async () => {
  const { answer, head, before } = await work(
    'echo half > done; echo "Which door?" > "$SETT_ASK"',
    workInput(goal),
  );
  expect(answer).toMatchObject({ structural_type: "Question", payload: "Which door?\n" });
  expect(head).toBe(before);
});

test.each([
  ["APPROVE", {}],
  ["sum.ts:2 subtracts", "sum.ts:2 subtracts"],
])("a review of %s is its verdict", async (said, payload) => {
  const { answer } = await work(
    `echo '${said}' > "$SETT_VERDICT"`,
    workInput(byCoder({ type: "CodeCommit", payload: "0".repeat(40) }), { claim_type: "review" }),
  );
  expect(answer).toMatchObject({ structural_type: "Review", payload });
});

nightly.each([
  ["changes nothing", {}, "cat >/dev/null <$1", "robot has changed nothing.\n"],
  ["fails", {}, "echo No model. >&2; exit 3", "No model.\nrobot has ended with exit code 3.\n"],
  ["fails with a change", {}, "echo > x; exit 1", "robot has ended with exit code 1.\n"],
  [
    "gives no verdict",
    { claim_type: "review" as const },
    "exit 0",
    "robot has written no verdict.\n",
  ],
])(
  "a CLI that %s makes the work fail, and leaves stdout empty",
  async (_what, over, script, last) => {
    const { exitCode, stdout, stderr, head, before } = await work(script, workInput(goal, over));
    expect({ exitCode: exitCode === 0, stdout, head }).toEqual({
      exitCode: false,
      stdout: "",
      head: before,
    });
    expect(stderr).toEndWith(last);
  },
);

test("what people say meanwhile is printed once, as text or as a hook answers", async () => {
  const remarks = join(folder, "remarks.jsonl");
  const say = async (payload: string) => {
    await appendFile(remarks, `${JSON.stringify({ type: "PersonSays", payload })}\n`);
  };
  const printed = async (words: string[], settings = { SETT_REMARKS: remarks }) => {
    const { exitCode, stdout } = await runScript("adapter/new-remarks", words, folder, settings);
    expect(exitCode).toBe(0);
    return stdout;
  };
  const before = "People say to you now, to be heeded; the newest counts:";
  await writeFile(remarks, "");
  expect(await printed([])).toBe("");
  await say("Be polite");
  await say('To "badgers",\ntoo.');
  expect(await printed([])).toBe(`${before}\n\nBe polite\n\nTo "badgers",\ntoo.\n`);
  expect(await printed(["Stop"])).toBe("");
  await say("Hurry");
  expect(JSON.parse(await printed(["PostToolUse"]))).toEqual({
    hookSpecificOutput: {
      hookEventName: "PostToolUse",
      additionalContext: `${before}\n\nHurry`,
    },
  });
  await say("Wait");
  expect(JSON.parse(await printed(["Stop"]))).toEqual({
    ...{ decision: "block", reason: `${before}\n\nWait` },
  });
  expect(await printed(["Stop"], { SETT_REMARKS: join(folder, "none") })).toBe("");
});

test("the guide shows the script of a CLI as it is", async () => {
  const page = await readFile(join(root, "docs/guides/coding-cli.md"), "utf8");
  for (const file of ["opencode.sh", "Dockerfile", "agent.yml"])
    expect(page).toContain(await readFile(join(root, "agents/opencode", file), "utf8"));
});

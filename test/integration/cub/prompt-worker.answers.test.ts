// How the work of the built-in worker ends: reviews, answers, questions, new versions, and results
// that it refuses.
import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { workWith } from "../../support/models/run-worker.ts";
import {
  byCoder,
  goalOf,
  textOf,
  workInput,
  workRepository,
} from "../../support/models/worker-scene.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleArtefact } from "../../support/records/sample.ts";

const readWrite = { SETT_WORKSPACE_MODE: "rw" };

/** A repository in which the coder has made a commit, and the artefacts of it. */
function reviewScene() {
  const repository = workRepository();
  const goal = goalOf("Make sum add.", repository.head());
  writeFileSync(
    join(repository.folder, "sum.ts"),
    "export function sum(a: number, b: number) {\n  return a + a;\n}\n",
  );
  repository.git("commit", "--quiet", "--all", "--message=Make sum add");
  const head = repository.head();
  const target = byCoder({
    type: "CodeCommit",
    payload: head,
    source_artefacts: [goal.id],
    metadata: { commit: head },
  } as Partial<Artefact>);
  return { repository, goal, target, [Symbol.dispose]: repository[Symbol.dispose] };
}

test("a reviewer sees the change, and approves", async () => {
  using scene = reviewScene();
  const input = workInput(scene.target, { claim_type: "review", context_chain: [scene.goal] });
  const { answer, requests } = await workWith(scene.repository, input, [
    { call: [["run", { command: "git log --format=%s $COMMIT_1..HEAD" }]] },
    { call: [["approve", { summary: "Adds now." }]] },
  ]);
  expect(answer).toEqual({ structural_type: "Review", payload: {}, summary: "Adds now." });
  const [first, second] = requests.map(textOf);
  expect(first).toContain("-  return a - b;\n+  return a + a;");
  expect(first).toContain(
    "Review the target. The target is artefact 2, of the type CodeCommit; your bid for it was `review`.",
  );
  expect(second).toContain("Exit code 0\nMake sum add");
  const tools = z
    .object({ tools: z.array(z.object({ name: z.string() })) })
    .parse(requests[0]?.body)
    .tools.map(({ name }) => name);
  expect(tools).toEqual([
    "run",
    "read_file",
    "write_file",
    "edit_file",
    "apply_patch",
    "list_files",
    "search",
    "plan",
    "approve",
    "feedback",
    "ask",
  ]);
});

test("a reviewer sees the lines that attributes of the working copy would hide, and what earlier work has changed", async () => {
  using repository = workRepository();
  const goal = goalOf("Make sum add.", repository.head());
  const commitFile = (name: string, text: string) => {
    writeFileSync(join(repository.folder, name), text);
    repository.git("add", "--all");
    repository.git("commit", "--quiet", `--message=Write ${name}`);
    return byCoder({ type: "CodeCommit", payload: repository.head(), goal_id: goal.goal_id });
  };
  const earlier = commitFile(".gitattributes", "* -diff\n");
  const target = commitFile("install.sh", "curl evil\n");
  const input = workInput(target, { claim_type: "review", context_chain: [goal, earlier] });
  const { requests } = await workWith(repository, input, [
    { call: [["approve", { summary: "Right" }]] },
  ]);
  const seen = textOf(requests[0]);
  expect(seen).toContain("+curl evil");
  expect(seen).toContain(
    "All files that are changed since the goal's commit, by this and by earlier work:",
  );
  expect(seen).toContain(" .gitattributes | 1 +");
  expect(seen).not.toContain("+* -diff");
});

test.each(["--detach", "--orphan=apart"])(
  "a reviewer sees what a commit of another history has dropped: %s",
  async (way) => {
    using repository = workRepository();
    const { git, folder, head } = repository;
    const commit = (name: string) => {
      writeFileSync(join(folder, name), `${name}\n`);
      git("add", "--all");
      git("commit", "--quiet", `--message=Write ${name}`);
      return head();
    };
    const base = head();
    const rules = commit("rules.txt");
    git("checkout", "--quiet", "--detach", base);
    const one = commit("one.txt");
    git("merge", "--quiet", "--no-ff", "-m", "Both", rules);
    const goal = goalOf("Make sum add.", head());
    git("checkout", "--quiet", way, one);
    git("rm", "--quiet", "--ignore-unmatch", "rules.txt");
    if (way === "--detach") git("merge", "--quiet", "--strategy=ours", "-m", "Again", rules);
    const payload = way === "--detach" ? head() : commit("two.txt");
    const target = byCoder({ type: "CodeCommit", payload, goal_id: goal.goal_id });
    const input = workInput(target, { claim_type: "review", context_chain: [goal] });
    const { requests } = await workWith(repository, input, [
      { call: [["approve", { summary: "Right" }]] },
    ]);
    expect(textOf(requests[0])).toContain("-rules.txt");
  },
);

test("a reviewer's feedback is a list of problems with their places", async () => {
  using scene = reviewScene();
  const problems = [
    { file: "sum.ts", line: 2, severity: "blocker", text: "It ignores b." },
    { severity: "minor", text: "No test." },
  ];
  const { answer } = await workWith(
    scene.repository,
    workInput(scene.target, { claim_type: "review", context_chain: [scene.goal] }),
    [
      { call: [["feedback", { summary: "empty", problems: [] }]] },
      { call: [["feedback", { summary: "One blocker", problems }]] },
    ],
    { format: "openai" },
  );
  expect(answer).toEqual({
    structural_type: "Review",
    payload: { problems },
    summary: "One blocker",
  });
});

test("a rework must have its target's type, and is a commit on top of it", async () => {
  using scene = reviewScene();
  const { repository, goal, target } = scene;
  const base = repository.head();
  const review = sampleArtefact({
    structural_type: "Review",
    type: "Review",
    payload: '{"problems":["It ignores b."]}',
    source_artefacts: [target.id],
  });
  const { answer, requests } = await workWith(
    repository,
    workInput(target, { context_chain: [goal], additional_context: [review] }),
    [
      { call: [["edit_file", { path: "sum.ts", old: "a + a", new: "a + b" }]] },
      { call: [["finish", { type: "Report", payload: "done", summary: "done" }]] },
      { call: [["finish", { type: "CodeCommit", summary: "Uses b" }]] },
    ],
    { environment: readWrite },
  );
  expect(answer).toEqual({
    artefact_type: "CodeCommit",
    artefact_payload: repository.head(),
    summary: "Uses b",
  });
  expect(repository.git("rev-parse", "HEAD~1")).toBe(base);
  expect(textOf(requests[0])).toContain("It ignores b.");
  expect(textOf(requests[2])).toContain(
    "A new version has the same type: `type` must be CodeCommit, not Report.",
  );
});

nightly("a question keeps what has changed so far, and the next run goes on with it", async () => {
  using repository = workRepository();
  const base = repository.head();
  const goal = goalOf("Make sum add.", base);
  const asking = await workWith(
    repository,
    workInput(goal),
    [
      {
        call: [
          ["write_file", { path: "notes.txt", content: "so far\n" }],
          ["plan", { steps: [{ text: "# Take notes", state: "done" }, { text: "Ask" }] }],
          ["ask", { question: "Also for floats?\nI have begun." }],
        ],
      },
    ],
    { environment: readWrite },
  );
  expect(asking.answer).toEqual({
    structural_type: "Question",
    payload: "Also for floats?\nI have begun.",
    summary: "Also for floats?",
  });
  expect(repository.git("rev-parse", "HEAD~1")).toBe(base);
  expect(repository.git("status", "--porcelain")).toBe("");
  const question = byCoder({
    structural_type: "Question",
    type: "Question",
    payload: "Also for floats?",
    source_artefacts: [goal.id],
    metadata: { commit: repository.head() },
  } as Partial<Artefact>);
  const reply = sampleArtefact({
    structural_type: "Answer",
    type: "Answer",
    payload: "Yes.",
    source_artefacts: [question.id],
  });
  const resumed = await workWith(
    repository,
    workInput(goal, { additional_context: [question, reply] }),
    [
      { call: [["run", { command: "git status --porcelain" }]] },
      { call: [["finish", { type: "CodeCommit", summary: "Notes", message: "Write notes" }]] },
    ],
    { environment: readWrite },
  );
  expect(textOf(resumed.requests[1])).toContain("?? notes.txt");
  expect(textOf(resumed.requests[0])).toContain("Yes.");
  expect(textOf(resumed.requests[0])).toContain(
    '# The plan that you had when you asked\n\n<artefact type="plan">\nYour plan:\n[x] # Take notes\n[ ] Ask\n</artefact>',
  );
  expect(resumed.answer.artefact_payload).toBe(repository.head());
  expect(repository.git("log", "--format=%s")).toBe("Write notes\nBegin");
});

nightly(
  "commits that the model made before it asked are its result, and a commit of a person with such a subject stays",
  async () => {
    using repository = workRepository();
    repository.git("commit", "--quiet", "--allow-empty", "--message=Work in progress");
    const goal = goalOf("Add a file.", repository.head());
    const commit = { command: "echo x > x && git add x && git commit -qm 'Add x'" };
    await workWith(
      repository,
      workInput(goal),
      [
        {
          call: [
            ["run", commit],
            ["ask", { question: "Enough?" }],
          ],
        },
      ],
      { environment: readWrite },
    );
    const head = repository.head();
    const question = byCoder({
      structural_type: "Question",
      type: "Question",
      payload: "Enough?",
      metadata: { commit: head },
    } as Partial<Artefact>);
    const finish = [
      { call: [["finish", { type: "CodeCommit", summary: "Added x" }] as [string, unknown]] },
    ];
    const input = workInput(goal, { additional_context: [question] });
    const { answer } = await workWith(repository, input, finish, { environment: readWrite });
    expect(answer.artefact_payload).toBe(head);
    expect(repository.git("log", "--format=%s")).toBe("Add x\nWork in progress\nBegin");
  },
);

test("a repository that is broken does not end the work", async () => {
  using repository = workRepository();
  const { answer, requests } = await workWith(
    repository,
    workInput(goalOf("Add a file.")),
    [
      {
        call: [
          ["run", { command: "echo x > x; : > .git/index.lock" }],
          ["finish", { type: "CodeCommit", summary: "x" }],
        ],
      },
      {
        call: [
          ["run", { command: "rm .git/index.lock" }],
          ["finish", { type: "CodeCommit", summary: "x" }],
        ],
      },
    ],
    { environment: readWrite },
  );
  expect(textOf(requests[1])).toContain("`finish` failed: git add failed: Unable to create");
  expect(answer.artefact_payload).toBe(repository.head());
});

test("an answer to a question of another agent", async () => {
  using repository = workRepository();
  const question = byCoder({
    structural_type: "Question",
    type: "Question",
    payload: "Which port?",
  });
  const { answer, requests } = await workWith(repository, workInput(question), [
    { call: [["answer", { answer: "8080" }]] },
  ]);
  expect(answer).toEqual({ structural_type: "Answer", payload: "8080", summary: "8080" });
  expect(textOf(requests[0])).toContain("Answer the question that is the target.");
});

test("without a change there is no commit, and the model is informed", async () => {
  using repository = workRepository();
  const { answer, requests } = await workWith(
    repository,
    workInput(goalOf("Nothing to do.")),
    [
      { call: [["finish", { type: "CodeCommit", summary: "x" }]] },
      {
        call: [
          ["finish", { type: "Report", payload: "It is right as it is.", summary: "No change" }],
        ],
      },
    ],
    { environment: readWrite },
  );
  expect(textOf(requests[1])).toContain(
    "Nothing has changed in the workspace, so there is nothing to commit.",
  );
  expect(answer).toEqual({
    artefact_type: "Report",
    artefact_payload: "It is right as it is.",
    summary: "No change",
  });
});

test("a commit that the model has made itself is the result", async () => {
  using repository = workRepository();
  const { answer } = await workWith(
    repository,
    workInput(goalOf("Add a file.")),
    [
      { call: [["run", { command: "echo x > x && git add x && git commit -qm 'Add x'" }]] },
      { call: [["finish", { type: "CodeCommit", summary: "Added" }]] },
    ],
    { environment: readWrite },
  );
  expect(answer.artefact_payload).toBe(repository.head());
  expect(repository.git("log", "-1", "--format=%s")).toBe("Add x");
});

test("a read-only workspace has no commit, and leaves a report", async () => {
  using repository = workRepository();
  const base = repository.head();
  const { answer, requests } = await workWith(
    repository,
    workInput(goalOf("Look.")),
    [
      {
        call: [
          ["write_file", { path: "x", content: "x" }],
          ["finish", { type: "CodeCommit", summary: "x" }],
        ],
      },
      { call: [["finish", { type: "Report", summary: "no payload" }]] },
      { call: [["finish", { type: "Report", payload: "seen", summary: "Looked" }]] },
    ],
    { environment: { SETT_WORKSPACE_MODE: "ro" } },
  );
  expect(textOf(requests[1])).toContain("this agent's workspace is read-only");
  expect(textOf(requests[2])).toContain("`payload` is missing: a Report needs one.");
  expect(answer.artefact_payload).toBe("seen");
  expect(repository.head()).toBe(base);
});

test("a commit does not take a folder of dependencies along", async () => {
  using repository = workRepository();
  const { answer, requests } = await workWith(
    repository,
    workInput(goalOf("Install.")),
    [
      {
        call: [
          [
            "run",
            { command: "mkdir deps; for i in $(seq 600); do echo > deps/$i; done; echo y > y" },
          ],
          ["finish", { type: "CodeCommit", summary: "x" }],
        ],
      },
      {
        call: [
          ["run", { command: "echo deps >> .gitignore" }],
          ["finish", { type: "CodeCommit", summary: "x" }],
        ],
      },
    ],
    { environment: readWrite },
  );
  expect(textOf(requests[1])).toContain(
    "Not finished. The commit would add 601 new files, such as deps/1,",
  );
  expect(answer.artefact_payload).toBe(repository.head());
  expect(repository.git("show", "--format=", "--name-only", "HEAD")).toBe(".gitignore\ny");
  expect(existsSync(join(repository.folder, "deps/600"))).toBe(true);
});

/** This is what a scaffolder leaves, and how the model then commits. */
const repositoriesInside: Record<string, string> = {
  "without a commit": "mkdir part && git init -q part && echo x > part/file",
  "with a commit": partWithCommit(),
  "committed by the model": `${partWithCommit()}; git add part; git commit -qm Part`,
};

function partWithCommit(): string {
  const identity = "-c user.name=a -c user.email=a@a.invalid";
  return `mkdir part && git init -q part && echo x > part/file && git -C part add file && git -C part ${identity} commit -qm Inside`;
}

nightly.each(Object.entries(repositoriesInside))(
  "a repository within the workspace, %s, is refused with its name, and its files are committed once it is none",
  async (_, make) => {
    using repository = workRepository();
    const finish: [string, object] = ["finish", { type: "CodeCommit", summary: "made a part" }];
    const { answer, requests } = await workWith(
      repository,
      workInput(goalOf("Make a part.", repository.head())),
      [
        { call: [["run", { command: make }]] },
        { call: [finish] },
        { call: [["run", { command: "rm -rf part/.git" }]] },
        { call: [finish] },
      ],
      { environment: { SETT_WORKSPACE_MODE: "rw" } },
    );
    expect(textOf(requests[2])).toContain("Not finished. part has a repository of its own");
    expect(answer).toMatchObject({ artefact_payload: repository.head() });
    expect(repository.git("ls-files", "part/file")).toBe("part/file");
  },
);

test("files in the folder of a submodule, which git would pass over, are refused with their name", async () => {
  using repository = workRepository();
  const url = "https://part.invalid";
  repository.git("config", "--file", ".gitmodules", "submodule.part.path", "part");
  repository.git("config", "--file", ".gitmodules", "submodule.part.url", url);
  repository.git("add", ".gitmodules");
  const link = `160000,${repository.head()},part`;
  repository.git("update-index", "--add", "--cacheinfo", link);
  repository.git("commit", "-q", "-m", "A part");
  const finish: [string, object] = ["finish", { type: "CodeCommit", summary: "made a file" }];
  const { answer, requests } = await workWith(
    repository,
    workInput(goalOf("Make a file.", repository.head())),
    [
      { call: [["write_file", { path: "part/file", content: "x" }]] },
      { call: [finish] },
      { call: [["run", { command: "mv part/file file" }]] },
      { call: [finish] },
    ],
    { environment: { SETT_WORKSPACE_MODE: "rw" } },
  );
  expect(textOf(requests[2])).toContain("Not finished. part is a submodule");
  expect(textOf(requests[2])).toContain("part/file would not be in the commit");
  expect(answer).toMatchObject({ artefact_payload: repository.head() });
  expect(repository.git("ls-files", "file")).toBe("file");
});

test("changes inside of a submodule, which no commit would have, are refused with what undoes them", async () => {
  using repository = workRepository();
  const part = join(repository.folder, "part");
  repository.git("init", "--quiet", "part");
  const inPart = (...args: string[]) => repository.git("-C", part, ...args);
  writeFileSync(join(part, "file"), "1\n");
  inPart("config", "user.name", "Ada");
  inPart("config", "user.email", "ada@example.invalid");
  inPart("add", "file");
  inPart("commit", "--quiet", "--message=Part");
  repository.git("config", "--file", ".gitmodules", "submodule.part.path", "part");
  repository.git("config", "--file", ".gitmodules", "submodule.part.url", "https://part.invalid");
  repository.git("add", "part", ".gitmodules");
  repository.git("commit", "-q", "-m", "A part");
  const finish: [string, object] = ["finish", { type: "CodeCommit", summary: "made a file" }];
  const { answer, requests } = await workWith(
    repository,
    workInput(goalOf("Make a file.", repository.head())),
    [
      { call: [["write_file", { path: "part/file", content: "2\n" }]] },
      { call: [finish] },
      { call: [["run", { command: "git -C part checkout --quiet file; echo x > file" }]] },
      { call: [finish] },
    ],
    { environment: { SETT_WORKSPACE_MODE: "rw" } },
  );
  expect(textOf(requests[2])).toContain(
    "Not finished. part is a submodule, which is here for reading",
  );
  expect(answer).toMatchObject({ artefact_payload: repository.head() });
  expect(repository.git("ls-files", "file")).toBe("file");
});

test("a folder with files of the commit is committed although a repository was made in it", async () => {
  using repository = workRepository();
  const make =
    "mkdir part; echo x > part/old; git add part; git commit -qm Old; git init -q part; echo x > part/file";
  const { answer } = await workWith(
    repository,
    workInput(goalOf("Make a part.", repository.head())),
    [
      { call: [["run", { command: make }]] },
      { call: [["finish", { type: "CodeCommit", summary: "made a part" }]] },
    ],
    { environment: { SETT_WORKSPACE_MODE: "rw" } },
  );
  expect(answer).toMatchObject({ artefact_payload: repository.head() });
  expect(repository.git("ls-files", "part/file")).toBe("part/file");
});

// Shows what the built-in worker does with a model that makes mistakes, never finishes or is
// refused, and with its own end.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startWorker, workWith } from "../../support/models/run-worker.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { goalOf, textOf, workInput, workRepository } from "../../support/models/worker-scene.ts";
import { waitFor } from "../../support/wait-for.ts";

const finish = {
  call: [["finish", { type: "Report", payload: "done", summary: "done" }] as [string, unknown]],
};
const goal = () => workInput(goalOf("Work."));

const refusal =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  () =>
    Response.json(body, { status, headers });

test("an unknown tool and malformed arguments are explained to the model", async () => {
  using repository = workRepository();
  for (const format of ["anthropic", "openai"] as const) {
    const { answer, requests } = await workWith(
      repository,
      goal(),
      [
        {
          call: [
            ["delete_all", {}],
            ["read_file", { file: "x" }],
          ],
        },
        { raw: '{"command": "ls', tool: "run" },
        finish,
      ],
      { format },
    );
    expect(answer.artefact_payload).toBe("done");
    expect(textOf(requests[1])).toContain(
      "There is no tool `delete_all`. The tools are `run`, `read_file`,",
    );
    expect(textOf(requests[1])).toContain(
      "The arguments of `read_file` are wrong, and nothing was done.",
    );
    if (format === "openai")
      expect(textOf(requests[2])).toContain(
        "The arguments of `run` are not valid JSON, and nothing was done.",
      );
  }
});

test("a model that makes only such calls fails, with the last of them", async () => {
  using repository = workRepository();
  const { answer, requests } = await workWith(
    repository,
    goal(),
    Array.from({ length: 9 }, (_, at) => ({ call: [["nonsense", { at }] as [string, unknown]] })),
  );
  expect(requests).toHaveLength(9);
  expect(answer).toMatchObject({ structural_type: "Failure", artefact_type: "ModelGaveNoResult" });
  expect(answer.summary).toStartWith(
    "The model made 9 calls of unknown tools or with malformed arguments. The last: There is no tool `nonsense`.",
  );
});

test("prose is answered once, and the second time a Failure with its words", async () => {
  using repository = workRepository();
  const rescued = await workWith(repository, goal(), ["I would like to begin.", finish]);
  expect(rescued.answer.artefact_payload).toBe("done");
  expect(textOf(rescued.requests[1])).toContain(
    "Your answer has no tool call, so nothing was done. Call a tool now: `run`,",
  );
  const { answer, requests, exitCode } = await workWith(repository, goal(), [
    "I am done.",
    "Really, I am done.",
  ]);
  expect({ exitCode, count: requests.length }).toEqual({ exitCode: 0, count: 2 });
  expect(answer).toEqual({
    structural_type: "Failure",
    artefact_type: "ModelGaveNoResult",
    artefact_payload: "Really, I am done.",
    summary: "The model answered twice without calling a tool. It said: Really, I am done.",
  });
  const silent = await workWith(repository, goal(), [""]);
  expect(silent.answer.summary).toBe(
    "The model answered twice without calling a tool. It said nothing.",
  );
});

test("an answer that was cut off is explained", async () => {
  using repository = workRepository();
  const { requests } = await workWith(
    repository,
    goal(),
    [{ say: "First I", call: [], isCut: true }, finish],
    {
      environment: { SETT_WORK_OUTPUT: "77" },
    },
  );
  expect(textOf(requests[1])).toContain("Your answer was cut off because it was too long");
  expect(requests[0]?.body.max_tokens).toBe(77);
});

test("a model that never finishes ends at its steps, of which it knows the last", async () => {
  using repository = workRepository();
  const { answer, requests } = await workWith(
    repository,
    goal(),
    [1, 2, 3, 4, 5, 6, 7].map((step) => ({ call: [["run", { command: `echo ${step}` }]] })),
    {
      environment: { SETT_WORK_STEPS: "7" },
    },
  );
  expect(requests).toHaveLength(7);
  expect(textOf(requests[1])).not.toContain("Steps left");
  expect(textOf(requests[2])).toContain("Steps left: 5. End the work now.");
  expect(answer.summary).toBe(
    "The model has not finished within 7 steps. SETT_WORK_STEPS sets their number.",
  );
});

test("a model that goes in circles reads it, and the sixth time is a Failure", async () => {
  using repository = workRepository();
  const { answer, requests } = await workWith(repository, goal(), [
    { call: [["run", { command: "true" }]] },
  ]);
  expect(requests).toHaveLength(6);
  expect(textOf(requests[2])).not.toContain("You have made the same");
  expect(textOf(requests[3])).toContain("You have made the same 3 times (`run`)");
  expect(answer).toMatchObject({
    structural_type: "Failure",
    artefact_type: "ModelGaveNoResult",
    summary:
      "The model has gone in circles: it has made the same 6 times, with the same arguments and the same results, the last with `run`.",
  });
});

test("a model that takes less than the conversation gets less of it, and ends its work", async () => {
  const says = {
    anthropic: {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 9 > 8" },
    },
    openai: { error: { message: "It is too much.", code: "context_length_exceeded" } },
  };
  for (const format of ["anthropic", "openai"] as const) {
    using repository = workRepository();
    const print = (word: string): [string, unknown] => [
      "run",
      { command: `for i in $(seq 400); do echo ${word}; done` },
    ];
    const { answer, requests } = await workWith(
      repository,
      goal(),
      [
        { call: [print("one")] },
        { call: [print("two"), print("three")] },
        { call: [print("four")] },
        refusal(400, says[format]),
        refusal(400, says[format]),
        finish,
      ],
      { format },
    );
    expect(answer.artefact_payload).toBe("done");
    const [refused, last] = [textOf(requests[3]), textOf(requests[5])];
    expect(refused).toContain("one\none");
    expect(last).not.toContain("one\none");
    expect(last).toContain("[Earlier steps are left out here to save space.]");
    expect(last).toContain("four\nfour");
    expect(last).toContain("Do the work that the target calls for.");
    expect(last.length).toBeLessThan(refused.length);
  }
});

test("the time ends a little before the agent's timeout, also in the middle of a command", async () => {
  using repository = workRepository();
  const { answer, exitCode } = await workWith(
    repository,
    goal(),
    [{ call: [["run", { command: "sleep 600" }]] }],
    {
      environment: { SETT_WORK_TIMEOUT: "3s" },
    },
  );
  expect(exitCode).toBe(0);
  expect(answer).toMatchObject({ artefact_type: "ModelGaveNoResult", structural_type: "Failure" });
  expect(answer.summary).toBe(
    "The model has not finished within the agent's timeout of 3 s. `timeout` of the agent in sett.yml sets it.",
  );
});

test("a refused call is a Failure with the gateway's sentence, and is not repeated", async () => {
  using repository = workRepository();
  const body = {
    type: "error",
    error: { type: "authentication_error", message: "The key of the model `strong` is wrong." },
  };
  const { answer, requests } = await workWith(repository, goal(), [refusal(401, body)]);
  expect(requests).toHaveLength(1);
  expect(answer).toMatchObject({
    structural_type: "Failure",
    artefact_type: "ModelCallFailed",
    summary: "The model's API answered with 401: The key of the model `strong` is wrong.",
  });
  const keys = await workWith(
    repository,
    goal(),
    [refusal(503, body, { "x-should-retry": "false" })],
    { format: "openai" },
  );
  expect(keys.requests).toHaveLength(1);
  expect(keys.answer.summary).toContain("503");
});

test("what passes is tried three times, and garbage too; a gateway that waits for Redis is asked until it is back", async () => {
  using repository = workRepository();
  const rescued = await workWith(repository, goal(), [
    refusal(529, {}),
    () => new Response("<html>oops", { headers: { "content-type": "text/html" } }),
    finish,
  ]);
  expect(rescued.answer.artefact_payload).toBe("done");
  const away = refusal(503, {}, { "x-sett-error": "redis-unreachable", "retry-after": "0.01" });
  const waited = await workWith(repository, goal(), [...Array(5).fill(away), finish]);
  expect(waited.answer.artefact_payload).toBe("done");
  const { answer, requests } = await workWith(repository, goal(), [refusal(500, "no")]);
  expect(requests).toHaveLength(3);
  expect(answer).toMatchObject({ artefact_type: "ModelCallFailed" });
}, 300_000);

const exhausted = {
  scope: "grant",
  kind: "nanousd",
  limit: 1_000_000_000,
  spent: 990_000_000,
  reserved: 0,
  needed: 50_000_000,
};
const spent = refusal(
  402,
  {
    type: "error",
    error: { type: "billing_error", message: "The budget of $1.00 for this work is spent." },
  },
  {
    "x-should-retry": "false",
    "x-sett-error": "budget-exceeded",
    "x-sett-budget": JSON.stringify(exhausted),
  },
);

test("a spent budget is a Failure of its own type", async () => {
  using repository = workRepository();
  for (const format of ["anthropic", "openai"] as const) {
    const { answer, requests } = await workWith(repository, goal(), [spent], { format });
    expect(requests).toHaveLength(1);
    expect(answer).toEqual({
      structural_type: "Failure",
      artefact_type: "BudgetExceeded",
      artefact_payload: exhausted,
      summary: "The budget of $1.00 for this work is spent.",
    });
  }
});

test("with on_budget: ask it is a Question, and what has changed is kept", async () => {
  using repository = workRepository();
  const base = repository.head();
  const { answer } = await workWith(
    repository,
    goal(),
    [{ call: [["write_file", { path: "x", content: "x" }]] }, spent],
    {
      environment: { SETT_ON_BUDGET: "ask", SETT_WORKSPACE_MODE: "rw" },
    },
  );
  expect(answer).toMatchObject({
    structural_type: "Question",
    artefact_type: "BudgetExceeded",
    summary: "The budget of $1.00 for this work is spent.",
  });
  expect(answer.artefact_payload).toMatchObject({
    ...exhausted,
    question: expect.stringContaining("How much more may be spent?"),
  });
  expect(repository.git("rev-parse", "HEAD~1")).toBe(base);
  expect(repository.git("show", "--format=", "--name-only", "HEAD")).toBe("x");
});

test("SIGTERM ends the worker with the command that it runs, and without an answer", async () => {
  using repository = workRepository();
  await using model = scriptedModel("anthropic", [
    { call: [["run", { command: "sleep 600 & echo $! > pid; wait" }]] },
  ]);
  const { child, ended } = startWorker(repository, goal(), model.environment);
  const file = join(repository.folder, "pid");
  const pid = await waitFor(
    "the command",
    () => existsSync(file) && Number(readFileSync(file, "utf8")),
  );
  child.kill("SIGTERM");
  const { exitCode, stdout, stderr } = await ended;
  expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
  expect(stderr).toContain("The work was ended by SIGTERM.");
  await waitFor(
    "the end of the command",
    () => !existsSync(`/proc/${pid}`) || readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z"),
  );
});

test("SIGTERM while the model thinks ends the worker at once", async () => {
  using repository = workRepository();
  const { promise: hold, resolve: release } = Promise.withResolvers<Response>();
  await using model = scriptedModel("openai", [() => hold]);
  const { child, ended } = startWorker(repository, goal(), model.environment);
  await waitFor("the request", () => model.requests.length > 0);
  child.kill("SIGTERM");
  expect((await ended).exitCode).toBe(130);
  release(new Response(""));
});

test("the commands of the model have neither the token nor the worker's settings", async () => {
  using repository = workRepository();
  const { requests } = await workWith(
    repository,
    goal(),
    [{ call: [["run", { command: "env" }]] }, finish],
    {
      environment: {
        OPENAI_API_KEY: "sett_grant.other",
        MY_OWN: "here",
        SETT_ROOM: "x",
        SETT_IMAGE_LD_LIBRARY_PATH: "/opt/lib",
      },
    },
  );
  const text = textOf(requests[1]);
  expect(text).toContain("MY_OWN=here");
  expect(text).toContain("SETT_AGENT_NAME=coder");
  expect(text).toContain("LD_LIBRARY_PATH=/opt/lib");
  expect(text).not.toMatch(/sett_grant|ANTHROPIC_|OPENAI_|SETT_MODEL|SETT_PROMPT|SETT_ROOM/);
});

test("a prompt of 100 KiB reaches the model whole", async () => {
  using repository = workRepository();
  const prompt = "Be careful. ".repeat(8_534);
  const { requests } = await workWith(repository, goal(), [finish], {
    environment: { SETT_PROMPT_EXECUTION: prompt },
  });
  expect(textOf(requests[0])).toContain(prompt.trim());
});

test("of a long conversation the oldest outputs are left out, and the task and the calls stay", async () => {
  using repository = workRepository();
  const print = (word: string): [string, unknown] => [
    "run",
    { command: `for i in $(seq 400); do echo ${word}; done` },
  ];
  const answers = ["one", "two", "three", "four"].map((word) => ({ call: [print(word)] }));
  const { requests } = await workWith(repository, goal(), [...answers, finish], {
    environment: { SETT_WORK_CONTEXT: "6000" },
  });
  const last = textOf(requests[4]);
  expect(last).toContain("characters of output are left out here to save space]");
  expect(last).not.toContain("one\none\none");
  expect(last).toContain("four\nfour\nfour");
  expect(last).toContain("Do the work that the target calls for.");
  expect(last).toContain("do echo one; done");
});

test("without work on stdin, or without a model, a sentence says what is missing", async () => {
  using repository = workRepository();
  const model = { SETT_MODEL: "m", SETT_MODEL_PROVIDER: "openai" };
  const noUrl = await startWorker(repository, goal(), model).ended;
  expect(noUrl).toMatchObject({ exitCode: 78, stdout: "" });
  expect(noUrl.stderr).toContain("OPENAI_BASE_URL is not set.");
  const noModel = await startWorker(repository, goal(), {}).ended;
  expect(noModel.stderr).toContain("SETT_MODEL is not set; SETT_MODEL_PROVIDER is not set");
  const noWork = await startWorker(repository, "hello", {
    ...model,
    OPENAI_BASE_URL: "http://127.0.0.1:9",
  }).ended;
  expect(noWork).toMatchObject({ exitCode: 2, stdout: "" });
  expect(noWork.stderr).toContain("There is no work in the form of the tool contract on stdin.");
});

// Shows what waits for a person, listed and waited for, with the real program, Redis and
// orchestrator.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { AskingSett, reportGoal, vagueGoal } from "../../support/cli/asking-sett.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

let sett: AskingSett;

beforeAll(async () => {
  sett = await AskingSett.start();
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

const short = (id: ArtefactId) => id.slice(0, 8);

test("nothing that waits for a person is no mistake", async () => {
  const { code, out, err } = await sett.at.sett("questions");
  expect({ code, out }).toEqual({ code: 0, out: "" });
  expect(err).toContain("Nothing waits for a person.");
  expect(await sett.at.need("questions", "--json")).toBe("[]\n");
});

test("one question is shown with its whole text and what to type; several have a line each", async () => {
  const one = await sett.ask(`Which door? ${"It matters. ".repeat(60)}`);
  const alone = await sett.at.sett("questions", "--goal", one.goal.id.slice(0, 8));
  expect(alone.out).toContain(`Question ${short(one.question)} from coder`);
  expect(alone.out).toContain(`  │ ${one.goal.payload.trimEnd()}`);
  expect(alone.err).toContain(`sett answer ${short(one.question)}`);
  const two = await sett.ask("Which colour?");
  const lines = (await sett.at.need("questions")).trimEnd().split("\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^ID +KIND +AGE +GOAL +FROM +TEXT$/);
  expect(lines[1]).toMatch(
    new RegExp(
      `^${short(one.question)} +question +\\w+ +${short(one.goal.id)} +coder +│ Which door\\?.*…$`,
    ),
  );
  expect(lines[2]).toMatch(new RegExp(`^${short(two.question)} .*Which colour\\?$`));
  const all = JSON.parse(await sett.at.need("questions", "--json"));
  expect(all).toMatchObject([
    {
      kind: "question",
      id: one.question,
      goal_id: one.goal.id,
      from: "coder",
      about: one.goal.id,
      text: one.goal.payload,
    },
    { kind: "question", id: two.question, text: "Which colour?" },
  ]);
});

test("work that a person is to approve is listed with what to type, and so is feedback on a goal", async () => {
  const goal = await sett.postGoal(reportGoal);
  const [approval] = await waitFor("an approval", async () => {
    const listed = JSON.parse(await sett.at.need("questions", "--json", "--goal", goal.id));
    return listed.length > 0 && listed;
  });
  expect(approval).toMatchObject({
    kind: "approval",
    type: "Report",
    agent: "lead",
    from: "coder",
    text: "All painted",
  });
  const { out, err } = await sett.at.sett("questions", "--goal", goal.id);
  expect(out).toContain(`Approval of ${short(approval.id)} by \`lead\``);
  expect(out).toEndWith("\n\n  │ Report, All painted\n\n  │ All doors are painted.\n");
  expect(approval).toMatchObject({
    content: "All doors are painted.",
    content_is_whole: true,
    commit: null,
  });
  expect(err).toContain(`sett approve ${short(approval.id)}`);
  expect(await sett.at.need("questions")).toContain(
    `sett approve ${short(approval.id)} (\`lead\`): │ Report, All painted`,
  );
  const vague = await sett.ask(vagueGoal);
  const feedback = await sett.at.sett("questions", "--goal", vague.goal.id);
  expect(feedback.out).toContain("critic: Say which door is meant.");
  expect(feedback.err).toContain("your answer replaces the goal");
});

test("--wait goes by what is listed already, shows what is asked next, and counts approvals", async () => {
  for (const [goal, text] of [
    ["Which hinge?", "Which hinge?"],
    [reportGoal, "All painted"],
  ] as const) {
    await using waiting = sett.at.start("questions", "--wait");
    await waiting.untilErr("Waiting for a question");
    expect(waiting.out()).toBe("");
    await sett.postGoal(goal);
    expect(await waiting.exited).toBe(0);
    expect(waiting.out()).toContain(text);
  }
}, 120_000);

test("--wait for one goal is not woken by another's question", async () => {
  const goal = await sett.ask("First?\nSecond?");
  await using waiting = sett.at.start("questions", "--wait", "--json", "--goal", goal.goal.id);
  await waiting.untilErr("Waiting for a question");
  await sett.ask("Another?");
  await sett.at.need("answer", goal.question, "yes");
  expect(await waiting.exited).toBe(0);
  expect(JSON.parse(waiting.out())).toMatchObject([{ kind: "question", text: "Second?" }]);
}, 120_000);

test("--wait gives up when its time is up, and is interrupted at once", async () => {
  const late = await sett.at.sett("questions", "--wait", "--timeout", "300ms");
  expect({ code: late.code, out: late.out }).toEqual({ code: 1, out: "" });
  expect(late.err).toContain("No agent asked a person within 300ms.");
  const json = await sett.at.sett("questions", "--wait", "--timeout", "300ms", "--json");
  expect({ code: json.code, out: json.out }).toEqual({ code: 1, out: "[]\n" });
  await using waiting = sett.at.start("questions", "--wait");
  await waiting.untilErr("Waiting for a question");
  waiting.signal("SIGINT");
  expect(await waiting.exited).toBe(130);
  expect(waiting.err()).not.toContain("No agent asked");
});

nightly(
  "what to type next names the instance where the person has named it",
  async () => {
    const { goal, question } = await sett.ask("Which door?\nWhich hinge?");
    const messagesOf = async (...words: string[]) =>
      (await sett.at.sett(...words, "--name", "demo")).err;
    expect(await messagesOf("questions", "--goal", goal.id)).toContain(
      `sett answer ${short(question)} "…" --name demo\n`,
    );
    expect(await messagesOf("questions")).toMatch(/sett answer ID "…" --name demo\n/);
    expect(await messagesOf("answer", question)).toContain(
      `sett answer ${short(question)} - --name demo < answer.md`,
    );
    expect(await messagesOf("answer", question, "green")).toContain(
      `sett watch --goal ${short(goal.id)} --name demo\n`,
    );
    const late = await messagesOf("answer", question, "red");
    expect(late).toMatch(/see `sett unearth \w+ --name demo`\.\n.*`sett questions --name demo`/);
    const watched = await messagesOf("forage", "--watch", "--goal", reportGoal);
    expect(watched).toMatch(
      /sett approve \w+ --name demo\n.* sett reject \w+ --reason "…" --name demo\n/,
    );
    expect(watched).toMatch(/sett watch --goal \w+ --name demo\n/);
    expect((await sett.at.sett("questions", "--goal", goal.id)).err).not.toContain("--name");
  },
  120_000,
);

nightly(
  "an invalid id is quoted in short",
  async () => {
    for (const id of [
      "a".repeat(100_000),
      "x".repeat(100_000),
      `${" ".repeat(50_000)}12`,
      `${"\n".repeat(50_000)}abcdefab`,
    ]) {
      for (const command of ["answer", "approve", "unearth", "watch --goal"]) {
        const { code, err } = await sett.at.sett(
          ...command.split(" "),
          id,
          ...(command === "answer" ? ["green"] : []),
        );
        expect(code).not.toBe(0);
        expect(err.length).toBeLessThan(300);
      }
    }
  },
  120_000,
);

test("an invalid timeout, or one without --wait, is refused", async () => {
  const soon = await sett.at.sett("questions", "--wait", "--timeout", "soon");
  expect(soon.code).toBe(2);
  expect(soon.err).toContain("such as `30s`");
  const alone = await sett.at.sett("questions", "--timeout", "3s");
  expect(alone.code).toBe(2);
  expect(alone.err).toContain("sett questions --wait --timeout 3s");
});

nightly(
  "--wait goes on when Redis dies and comes back",
  async () => {
    await using own = await AskingSett.start();
    await using waiting = own.at.start("questions", "--wait");
    await waiting.untilErr("Waiting for a question");
    await own.at.redis.kill();
    await waiting.untilErr("Redis does not answer. Waiting");
    await own.at.redis.start();
    const goal = await own.postGoal("Which door?");
    expect(await waiting.exited).toBe(0);
    expect(waiting.out()).toContain(`goal ${goal.id.slice(0, 8)}`);
    expect(waiting.out()).toContain("Which door?");
  },
  120_000,
);

test("a person is no agent that could be silent", async () => {
  const { agents } = JSON.parse(await sett.at.need("status", "--json"));
  expect(agents).toContainEqual(expect.objectContaining({ name: "lead", state: "person" }));
  expect(await sett.at.need("status")).toMatch(/^lead +lead +person +-$/m);
});

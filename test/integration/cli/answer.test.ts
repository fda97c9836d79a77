// A person answers with the real program; the agent that asked, played by the test, goes on under a
// real orchestrator.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { AskingSett, clearGoal, vagueGoal } from "../../support/cli/asking-sett.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { nightly } from "../../support/nightly.ts";
import { newArtefactId, sampleArtefact } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";

let sett: AskingSett;

beforeAll(async () => {
  sett = await AskingSett.start();
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

const short = (id: string) => id.slice(0, 8);
const withStdin = (stdin: string | Uint8Array, ...words: string[]) =>
  runSett(words, { cwd: sett.at.folder, env: sett.at.env, stdin });

/** Returns who posted it, as the log has it. */
async function actorOf(id: ArtefactId): Promise<string | undefined> {
  const events = await sett.board.readEvents("0", 10_000);
  return events.find(({ type, artefact_id }) => type === "artefact_created" && artefact_id === id)
    ?.actor;
}

describe("sett answer", () => {
  test("prints the answer's id; the answer is a person's, and the asker goes on", async () => {
    const { goal, question } = await sett.ask("Which door?");
    const { code, out, err } = await sett.at.sett(
      "answer",
      short(question),
      "The green one\n\nby the stairs",
    );
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining(`Question ${short(question)} is answered: coder`),
    });
    const answer = await sett.answerOf(question);
    expect(out).toBe(`${answer.id}\n`);
    expect(answer).toMatchObject({
      logical_id: answer.id,
      version: 1,
      structural_type: "Answer",
      type: "Answer",
      payload: "The green one\n\nby the stairs",
      source_artefacts: [question],
      produced_by_role: "user",
      produced_by_agent: "",
      goal_id: goal.id,
      claim_id: "",
      metadata: { summary: "The green one" },
    });
    expect(await actorOf(answer.id)).toBe("person:Ada Lovelace <ada@sett.invalid>");
    await sett.achieved(goal);
    expect(await sett.at.need("watch", "--no-follow", "--goal", goal.id)).toMatch(
      /Ada Lovelace .*posts Answer/,
    );
  });

  nightly(
    "takes the answer from stdin as it is, also 5 MB of it, and --as names another person",
    async () => {
      const { goal, question } = await sett.ask("Tell all?");
      const text = `${"Große Tür\n".repeat(500_000)}`;
      const { code, out } = await withStdin(
        text,
        "answer",
        question,
        "-",
        "--as",
        "Grace Hopper",
        "--json",
      );
      expect(code).toBe(0);
      const answer = await sett.answerOf(question);
      expect(JSON.parse(out)).toEqual({
        id: answer.id,
        question,
        goal_id: goal.id,
        summary: "Große Tür",
      });
      expect(answer.payload === text).toBe(true);
      expect(await actorOf(answer.id)).toBe("person:Grace Hopper");
    },
    120_000,
  );

  test("with --watch it follows the goal: to the next question with exit code 4, and to its end", async () => {
    const { goal, question } = await sett.ask("Which door?\nWhich colour?");
    const first = await sett.at.sett("answer", question, "The front door", "--watch");
    expect(first).toMatchObject({ code: 4, err: expect.stringContaining("Which colour?") });
    const { code, err } = await sett.at.sett(
      "answer",
      await sett.questionOf(goal),
      "Green",
      "--watch",
    );
    expect(code).toBe(0);
    expect(err).toMatch(/posts Answer [\s\S]*Goal \w+ is achieved\./);
    expect(err).not.toContain("sett watch --goal");
  });

  nightly(
    "does not promise that the asker goes on while the instance is paused",
    async () => {
      const { goal, question } = await sett.ask("Which door?");
      const other = await sett.ask(vagueGoal);
      await sett.at.need("pause", "--as", "Grace Hopper");
      const { err } = await sett.at.sett("answer", question, "Green", "--name", "demo");
      expect(err).toMatch(
        /: coder continues with your answer when the instance is resumed \(paused by Grace Hopper, [\w ]+\)\.\n/,
      );
      expect(err).toContain("sett resume --name demo\n");
      expect((await sett.at.sett("answer", other.question, clearGoal)).err).toContain(
        "your answer is the goal's next version, and work on it begins when the instance is resumed",
      );
      await using watching = sett.at.start("forage", "--watch", "--goal", clearGoal);
      await watching.untilErr(
        "Work on the goal begins when the instance is resumed (paused by Grace Hopper, ",
      );
      await watching.untilErr("opens claim");
      await sett.at.need("resume");
      expect(await watching.exited).toBe(0);
      expect(watching.err()).toContain("resumes the instance");
      await sett.achieved(goal);
    },
    120_000,
  );

  test("what looks like an option can be an answer", async () => {
    const { question } = await sett.ask("How many?");
    await sett.at.need("answer", question, "--", "-1");
    expect((await sett.answerOf(question)).payload).toBe("-1");
  });

  test("the answer to feedback on a goal is the goal's next version", async () => {
    const { goal, question } = await sett.ask(vagueGoal);
    const { err } = await sett.at.sett("answer", question, clearGoal);
    expect(err).toContain("your answer is the goal's next version");
    await sett.achieved(goal);
    const versions = await sett.board.readArtefacts(await sett.board.readThread(goal.logical_id));
    expect(versions.map(({ payload }) => payload)).toEqual([vagueGoal, clearGoal]);
    const words = ["status", "--goal", goal.id];
    expect(await sett.at.need(...words)).toMatch(
      new RegExp(`^${short(goal.id)} .*  ${clearGoal}$`, "m"),
    );
    expect(JSON.parse(await sett.at.need(...words, "--json")).goals).toMatchObject([
      { id: goal.id, summary: clearGoal },
    ]);
  });
});

describe("an answer that cannot be", () => {
  test("is refused when it is empty, no text, too long or not there, and the question waits on", async () => {
    const { question } = await sett.ask("Which?");
    const empty = await sett.at.sett("answer", question, " \n");
    expect(empty.code).toBe(2);
    expect(empty.err).toContain("The answer is empty.");
    expect((await sett.at.sett("answer", question, "")).code).toBe(2);
    const binary = await withStdin(new Uint8Array([0xff, 0xfe]), "answer", question, "-");
    expect(binary.code).toBe(2);
    expect(binary.err).toContain("not UTF-8");
    const long = await withStdin(
      new Uint8Array(16 * 1024 * 1024 + 1).fill(97),
      "answer",
      question,
      "-",
    );
    expect(long.code).toBe(2);
    expect(long.err).toContain("16 MiB");
    const nowhere = await sett.at.sett("answer", question);
    expect(nowhere.code).toBe(2);
    expect(nowhere.err).toContain(`sett answer ${short(question)} - < answer.md`);
    const unquoted = await sett.at.sett("answer", question, "the", "green");
    expect(unquoted.code).toBe(2);
    expect(await sett.board.listOpenQuestions()).toContain(question);
    await sett.at.need("answer", question, "done");
  }, 120_000);

  test("says who was faster, and when", async () => {
    const { question } = await sett.ask("Which?");
    await sett.at.need("answer", question, "this", "--as", "Grace Hopper");
    const { code, out, err } = await sett.at.sett("answer", question, "that");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(
      new RegExp(`Question ${short(question)} was answered by Grace Hopper, (?:just now|\\w+ ago)`),
    );
    expect(err).toContain(`sett unearth ${short((await sett.answerOf(question)).id)}`);
    expect((await sett.answerOf(question)).payload).toBe("this");
  });

  nightly(
    "of two people who answer at the same moment one wins, and the other learns so",
    async () => {
      for (let round = 0; round < 3; round += 1) {
        const { goal, question } = await sett.ask("Which?");
        const people = ["Ada Byron", "Grace Hopper"];
        const ends = await Promise.all(
          people.map((name) => sett.at.sett("answer", question, name, "--as", name)),
        );
        expect(ends.map(({ code }) => code).toSorted()).toEqual([0, 1]);
        const { payload: winner } = await sett.answerOf(question);
        const loser = ends.find(({ code }) => code === 1);
        expect(loser?.err).toContain(`was answered by ${winner}`);
        await sett.achieved(goal);
        const answers = await sett.board.readArtefacts(
          await sett.board.listArtefactsOfGoal(goal.goal_id),
        );
        expect(answers.filter(({ type }) => type === "Answer")).toHaveLength(1);
      }
    },
    120_000,
  );

  test("is refused for an unknown id, an ambiguous one, and what is no question or no id", async () => {
    const unknown = await sett.at.sett("answer", newArtefactId(), "x");
    expect(unknown.code).toBe(1);
    expect(unknown.err).toContain("There is no question");
    expect((await sett.at.sett("answer", "000000", "x")).err).toContain("sett questions");
    const { goal, question } = await sett.ask("Which?");
    const wrong = await sett.at.sett("answer", short(goal.id), "x");
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain(`${short(goal.id)} is not a question: it is GoalDefined`);
    expect((await sett.at.sett("answer", question.slice(0, 5), "x")).code).toBe(2);
    const start = short(newArtefactId());
    const twins = ["0", "1"].map((digit) =>
      sampleArtefact({
        id: `${start}-0000-4000-8000-00000000000${digit}` as ArtefactId,
        structural_type: "Question",
        type: "Question",
        produced_by_role: "orchestrator",
        goal_id: goal.goal_id,
      }),
    );
    for (const twin of twins) await sett.board.createArtefact(twin, "hand");
    await waitFor("both to be asked", async () => {
      const open = await sett.board.listOpenQuestions();
      return twins.every(({ id }) => open.includes(id));
    });
    const ambiguous = await sett.at.sett("answer", start, "x");
    expect(ambiguous.code).toBe(2);
    for (const { id } of twins) expect(ambiguous.err).toContain(id);
  }, 120_000);

  test("is refused when the goal was cancelled, and when the asker does not wait any more", async () => {
    const { goal, question } = await sett.ask("Which?");
    await sett.cancel(goal);
    const cancelled = await sett.at.sett("answer", question, "this");
    expect(cancelled.code).toBe(1);
    expect(cancelled.err).toContain(`Goal ${short(goal.id)} was cancelled`);
    const stale = sampleArtefact({
      structural_type: "Question",
      type: "Question",
      produced_by_agent: "coder",
      produced_by_role: "coder",
      goal_id: (await sett.ask("Other?")).goal.goal_id,
    });
    await sett.board.createArtefact(stale, "hand");
    const gone = await sett.at.sett("answer", stale.id, "this");
    expect(gone.code).toBe(1);
    expect(gone.err).toContain("`coder` does not wait for the answer");
  }, 120_000);
});

// A person answers at the prompt of `sett forage --watch`.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GoalId } from "../../../lib/model/ids.ts";
import { AskingSett, reportGoal } from "../../support/cli/asking-sett.ts";
import { settOnTerminal } from "../../support/cli/pseudo-terminal.ts";
import type { Screen } from "../../support/cli/screen.ts";
import { nightly } from "../../support/nightly.ts";

let sett: AskingSett;
const interrupt = "\u0003";
const endOfInput = "\u0004";

beforeAll(async () => {
  sett = await AskingSett.start();
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

const shown = (screen: Screen) => screen.lines.join("\n");
const has = (text: string) => (screen: Screen) => shown(screen).includes(text);
const prompt = "Your answer (empty: later): ";
/**
 * Returns what is typed before the prompt is there is dropped, also when the question can be read
 * already.
 */
const prompted = ({ lines }: Screen) => lines.at(-1)?.trimEnd() === prompt.trimEnd();

describe("sett forage --watch", () => {
  const forage = (goal: string) => sett.onTerminal({}, "forage", "--watch", "--goal", goal);
  const goalIn = (screen: Screen) => GoalId.parse(/^[0-9a-f-]{36}$/m.exec(shown(screen))?.[0]);
  const answersTo = async (screen: Screen) => {
    const ids = await sett.board.listArtefactsOfGoal(goalIn(screen));
    const answers = (await sett.board.readArtefacts(ids)).filter(({ type }) => type === "Answer");
    return answers.map(({ payload }) => payload);
  };

  test("asks one question after the other right there, and goes on watching", async () => {
    await using watching = forage("Which door, the green one?\nWhich hinge?");
    await watching.showing("the first question", has(`  │ Which door, the green one?`));
    await watching.showing("the prompt", prompted);
    watching.type("the grën\u007fen one\r");
    await watching.showing("the second question", has("  │ Which hinge?"));
    await watching.showing("the second prompt", prompted);
    watching.type("both\r");
    expect(await watching.exited).toBe(0);
    expect(await answersTo(watching.screen)).toEqual(["the grëen one", "both"]);
    expect(shown(watching.screen)).toMatch(/Goal [0-9a-f]{8} is achieved/);
    expect(watching.screen.unknown).toEqual([]);
  }, 120_000);

  test("takes several lines that are pasted as one answer", async () => {
    await using watching = forage("Which door?\nWhich hinge?");
    await watching.showing("the prompt", prompted);
    watching.type("one\rtwo\rthree\r");
    await watching.showing("the second question", has("  │ Which hinge?"));
    await watching.showing("the second prompt", prompted);
    watching.type("\r");
    expect(await watching.exited).toBe(4);
    expect(await answersTo(watching.screen)).toEqual(["one\ntwo\nthree"]);
  }, 120_000);

  nightly(
    "drops what is typed while there is no prompt, whether it was entered or not",
    async () => {
      await using watching = forage("Which door?\nWhich hinge?");
      await watching.showing("the first prompt", prompted);
      // Until it goes on, the second question is not asked.
      await sett.at.need("pause");
      watching.type("green\r");
      await watching.showing("the answer", has("posts Answer"));
      watching.type("too early\rhalf a li");
      await watching.showing("the echo", has("half a li"));
      await sett.at.need("resume");
      await watching.showing("the second question", has("  │ Which hinge?"));
      await watching.showing("the second prompt", prompted);
      watching.type("both\r");
      expect(await watching.exited).toBe(0);
      expect(await answersTo(watching.screen)).toEqual(["green", "both"]);
    },
    120_000,
  );

  test("leaves for later what gets an empty line, or no more input, and says how to answer", async () => {
    for (const key of ["\r", endOfInput]) {
      await using watching = forage("Which door?");
      await watching.showing("the prompt", prompted);
      const question = await sett.questionOf({ goal_id: goalIn(watching.screen) });
      watching.type(key);
      expect(await watching.exited).toBe(4);
      expect(shown(watching.screen)).toContain(`sett answer ${question.slice(0, 8)} "…"`);
      expect(shown(watching.screen)).toMatch(/^You left question \w+ for later\.$/m);
      expect(await sett.board.listOpenQuestions()).toContain(question);
    }
  }, 120_000);

  test("takes what was entered also where the input ends right behind it", async () => {
    await using watching = forage("Which door?");
    await watching.showing("the prompt", prompted);
    watching.type(`green\r${endOfInput}`);
    expect(await watching.exited).toBe(0);
    expect(shown(watching.screen)).toContain("posts Answer");
  }, 120_000);

  test("is left with Ctrl-C, also in the middle of an answer", async () => {
    await using watching = forage("Which door?");
    await watching.showing("the prompt", prompted);
    watching.type(`the gre${interrupt}`);
    expect(await watching.exited).toBe(130);
    expect(shown(watching.screen)).toContain("Work on the goal goes on. To follow it");
    expect(shown(watching.screen)).not.toContain(prompt);
  }, 120_000);

  test("removes the prompt when another person answers, and goes on", async () => {
    await using watching = forage("Which door?");
    await watching.showing("the prompt", prompted);
    watching.type("the gre");
    await watching.showing("what is typed", has(`${prompt}the gre`));
    const question = await sett.questionOf({ goal_id: goalIn(watching.screen) });
    await sett.at.need("answer", question, "the red one", "--as", "Grace Hopper");
    expect(await watching.exited).toBe(0);
    expect(shown(watching.screen)).toContain(
      `Question ${question.slice(0, 8)} was answered by Grace Hopper`,
    );
    expect(shown(watching.screen)).not.toContain(prompt);
    expect((await sett.answerOf(question)).payload).toBe("the red one");
  }, 120_000);

  nightly(
    "keeps what is typed while something happens above, and while Redis does not answer. Waiting",
    async () => {
      await using own = await AskingSett.start();
      await using watching = settOnTerminal(["forage", "--watch", "--goal", "Which door?"], {
        cwd: own.at.folder,
        env: { ...own.at.env, NO_COLOR: "1" },
        columns: 40,
      });
      await watching.showing("the prompt", prompted);
      watching.type("a long answer that goes on in the next row");
      await watching.showing("what is typed", has("next row"));
      await own.at.redis.kill();
      const whole = `${prompt}a long answer that goes on in the next row`;
      await watching.showing(
        "the loss",
        (screen) => has("Redis does not answer. Waiting")(screen) && screen.lines.at(-1) === whole,
      );
      watching.type("\r");
      await watching.showing("what became of it", has("Your answer is not stored yet."));
      await own.at.redis.start();
      await watching.showing(
        "the return",
        (screen) => has("Redis answers again.")(screen) && screen.lines.at(-1) === whole,
      );
      // Once as it was entered without success, and once as the prompt shows it again.
      expect(shown(watching.screen).split(prompt)).toHaveLength(3);
      watching.type("\r");
      expect(await watching.exited).toBe(0);
      expect(shown(watching.screen)).toContain("is achieved");
    },
    120_000,
  );

  test("ends with exit code 4 without a terminal, with the question and what to type", async () => {
    const { code, out, err } = await sett.at.sett("forage", "--watch", "--goal", "Which door?");
    expect(code).toBe(4);
    const question = await sett.questionOf({ goal_id: GoalId.parse(out.trim()) });
    expect(err).toContain(`Question ${question.slice(0, 8)} from coder`);
    expect(err).toContain(`sett answer ${question.slice(0, 8)} "…"`);
  }, 120_000);

  test("shows an approval with what to type, and ends", async () => {
    await using watching = forage(reportGoal);
    expect(await watching.exited).toBe(4);
    expect(shown(watching.screen)).toMatch(
      /asks lead to approve or reject ([0-9a-f]{8})[\s\S]*sett approve \1[\s\S]*sett reject \1/,
    );
  }, 120_000);
});

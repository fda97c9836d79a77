// sett watch --bell: the real program on a pseudo terminal, rung by real questions, approvals and
// failures.
import { expect, test } from "bun:test";
import { AskingSett, failingGoal, reportGoal } from "../../support/cli/asking-sett.ts";
import { settOnTerminal } from "../../support/cli/pseudo-terminal.ts";
import { waitFor } from "../../support/wait-for.ts";

test("the bell rings once for a question, an approval and a failed goal, and not for the past or a cancelled goal", async () => {
  await using sett = await AskingSett.start();
  const past = await sett.ask("Which door?");
  await using watching = settOnTerminal(["watch", "--bell"], {
    cwd: sett.at.folder,
    env: sett.at.env,
    columns: 120,
  });
  const short = (id: string) => id.slice(0, 8);
  await watching.showing("the past", ({ rows }) =>
    rows.some((row) => row.includes(`question ${short(past.question)}`)),
  );
  // This event is shown after the past, and so it is looked at after it, too.
  await sett.board.logEvent({ type: "instance_started" }, "person:Ada");
  await watching.showing("the present", ({ rows }) =>
    rows.some((row) => row.includes("starts this sett")),
  );
  expect(watching.screen.bells).toBe(0);
  const ringsAfter = (count: number) =>
    waitFor(`bell ${count}`, () => watching.screen.bells === count);
  const cancelled = await sett.ask("Which hinge?");
  await ringsAfter(1);
  await sett.cancel(cancelled.goal);
  await sett.postGoal(reportGoal);
  await ringsAfter(2);
  const failed = await sett.postGoal(failingGoal);
  await ringsAfter(3);
  await sett.at.need("answer", past.question, "the green one");
  await sett.achieved(past.goal);
  await watching.showing("the failure and the end", ({ rows }) =>
    [
      `${short(failed.id)}  orchestrator    terminates`,
      `${short(past.goal.id)}  orchestrator    completes`,
    ].every((text) => rows.some((row) => row.includes(text))),
  );
  expect(watching.screen.bells).toBe(3);
}, 120_000);

test("without a terminal nothing rings", async () => {
  await using sett = await AskingSett.start();
  await using watching = sett.at.start("watch", "--bell");
  await watching.untilOut("registers agent");
  const { question } = await sett.ask("Which door?");
  await watching.untilOut(`question ${question.slice(0, 8)}`);
  await sett.at.need("answer", question, "any");
  await watching.untilOut("completes");
  expect(watching.out() + watching.err()).not.toContain("\u0007");
}, 120_000);

// A person answers an agent whose budget is spent, with the real program.
import { expect, test } from "bun:test";
import { Workspace } from "../../support/cli/workspace.ts";
import { startService } from "../../support/process/service-process.ts";
import { sampleAgent, sampleArtefact } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { playAgent } from "../../support/world/played-agent.ts";

test("the question is shown in its words; an answer that is no amount is refused with what to type, and an amount raises the budget", async () => {
  await using at = await Workspace.create();
  const board = await at.board();
  await board.registerAgents([sampleAgent("coder")], "person:Ada", { exact: true });
  const stop = new AbortController();
  const payload = JSON.stringify({ scope: "grant", kind: "tokens", limit: 9, question: "How much more may be spent?" });
  const coder = playAgent(
    board,
    "coder",
    {
      bid: () => "exclusive",
      work: (_goal, attempt) =>
        attempt === 1
          ? { structural_type: "Question", type: "BudgetExceeded", payload }
          : { structural_type: "Terminal", type: "Report", payload: "Done." },
    },
    stop.signal,
  );
  coder.catch(() => {});
  await using _orchestrator = startService("orchestrator", { ...at.env, SETT_HEALTH_PORT: "0" });
  const goal = sampleArtefact({ payload: "Sum." });
  await board.createArtefact(goal, "person:Ada");
  const [question] = await waitFor("the question", async () => {
    const open = await board.listOpenQuestions();
    return open.length > 0 && open;
  });
  if (question === undefined) throw new Error("There is one.");
  const id = question.slice(0, 8);
  const listed = await at.sett("questions");
  expect(listed.out).toContain("  How much more may be spent?");
  expect(listed.err).toContain(`answer ${id} 200ktokens`);

  const refused = await at.sett("answer", id, "as much as it takes");
  expect(refused.code).toBe(2);
  expect(refused.err).toContain("your answer is no amount. Answer with `5usd`");
  expect(refused.err).toContain(`cancel ${goal.goal_id.slice(0, 8)}`);
  expect(await board.answersOf([question])).toEqual([undefined]);

  expect((await at.sett("answer", id, "100k tokens")).code).toBe(0);
  await waitFor("the end", async () => {
    const made = await board.readArtefacts(await board.listArtefactsOfGoal(goal.goal_id));
    return made.some(({ structural_type }) => structural_type === "Terminal");
  });
  const { addedOfAgents } = await board.readSpending(goal.goal_id);
  expect(Object.fromEntries(addedOfAgents)).toEqual({ coder: { nanousd: 0, tokens: 100_000, calls: 0 } });
  stop.abort();
});

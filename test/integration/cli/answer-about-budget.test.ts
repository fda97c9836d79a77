// A person answers an agent whose budget is spent, with the real program.
import { expect, test } from "bun:test";
import { reserveOrder } from "../../support/blackboard/model-scene.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { startService } from "../../support/process/service-process.ts";
import { sampleAgent, sampleArtefact } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { playAgent } from "../../support/world/played-agent.ts";

test("the record's figures are shown before the agent's words; an answer that is no amount is refused with what to type, and an amount raises the budget", async () => {
  await using at = await Workspace.create();
  const board = await at.board();
  await board.registerAgents([sampleAgent("coder")], "person:Ada", { exact: true });
  const stop = new AbortController();
  const words = {
    scope: "goal",
    kind: "calls",
    limit: 9,
    question: "How much more may be spent?\n→ sett approve 12345678",
  };
  const coder = playAgent(
    board,
    "coder",
    {
      bid: () => "exclusive",
      hasModel: true,
      work: async (_goal, attempt, token) => {
        if (attempt > 1) return { structural_type: "Terminal", type: "Report", payload: "Done." };
        const order = reserveOrder(token, { grant: { tokens: 70 } });
        await board.reserveCall(order);
        const payload = JSON.stringify({ ...words, refusal: order.call.id });
        return { structural_type: "Question", type: "BudgetExceeded", payload };
      },
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
  expect(listed.out.split("\n").slice(1)).toEqual([
    "",
    "  The budget of coder for each of its grants is not used up, but one call asks for more: of 70 tokens, 0 tokens spent; the refused call may need 100 tokens.",
    "",
    "  coder says:",
    "  │ How much more may be spent?",
    "  │ → sett approve 12345678",
    "",
  ]);
  expect(listed.err).toContain(
    `answer ${id} yes  # adds 70 tokens to the budget of coder's grants in this goal`,
  );
  expect(listed.err).toContain(`answer ${id} 200ktokens`);

  const refused = await at.sett("answer", id, "as much as it takes");
  expect(refused.code).toBe(2);
  expect(refused.err).toContain("your answer is no amount. Answer with `5usd`");
  expect(refused.err).toContain("or `yes` for 70 tokens");
  expect(refused.err).toContain(`cancel ${goal.goal_id.slice(0, 8)}`);
  const doubled = await at.sett("answer", id, "100k tokens, 100k tokens");
  expect(doubled.code).toBe(2);
  expect(doubled.err).toContain(
    "your answer names more than one amount of tokens: write one. Answer with `5usd`",
  );
  expect(await board.answersOf([question])).toEqual([undefined]);

  const accepted = await at.sett("answer", id, "100k tokens");
  expect(accepted.code).toBe(0);
  expect(accepted.err).toContain(
    "coder continues with your answer, which adds 100k tokens to the budget of coder's grants in this goal",
  );
  await waitFor("the end", async () => {
    const made = await board.readArtefacts(await board.listArtefactsOfGoal(goal.goal_id));
    return made.some(({ structural_type }) => structural_type === "Terminal");
  });
  const { addedOfAgents } = await board.readSpending(goal.goal_id);
  expect(Object.fromEntries(addedOfAgents)).toEqual({
    coder: { nanousd: 0, tokens: 100_000, calls: 0 },
  });
  stop.abort();
});

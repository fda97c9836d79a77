import { expect, test } from "bun:test";
import { hintOverHttp, suggestRequest } from "../../../../apps/api/over-http.ts";

test.each([
  ["hoard", "GET /v1/artefacts"],
  ["status", "GET /v1/instance"],
  ["status --all", "GET /v1/goals"],
  ["questions", "GET /v1/inquiries"],
  ["watch --no-follow --goal 9f3a12b4", "GET /v1/events?goal=9f3a12b4"],
  ["answer 7d1f0a2b yes", "POST /v1/questions/7d1f0a2b/answer"],
  ['forage --id 9f3a12b4 --goal "…"', "POST /v1/goals"],
  ["logs orchestrator", "GET /v1/agents/orchestrator/logs"],
  ["up", "sett up"],
  ["constructor", "sett constructor"],
])("the request in place of `sett %s`", (command, request) => {
  expect(suggestRequest(command)).toBe(request);
});

test("options of the command line become members of the body", () => {
  expect(hintOverHttp('Say what is to be done: --goal "Write the changelog"')).toBe(
    'Say what is to be done: `text`: "Write the changelog"',
  );
  expect(hintOverHttp("Name the agent for which you speak: --for lead")).toBe(
    'Name the agent for which you speak: `for`: "lead"',
  );
  expect(hintOverHttp("Leave out --id to post a new goal.")).not.toContain("--");
});

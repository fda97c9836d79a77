// The question about calls of tools, and its answer.
import { expect, test } from "bun:test";
import {
  type AskedCall,
  callPayload,
  callQuestion,
  wordOfAnswer,
} from "../../../../lib/model/asked-call.ts";
import { agentName, newClaimId } from "../../../support/records/sample.ts";

const call = (tool: string): AskedCall => ({
  ...{ id: crypto.randomUUID(), claim_id: newClaimId(), agent: agentName("coder"), attempt: 1 },
  ...{ server: "issues", tool, arguments: '{\n  "title": "Door"\n}', digest: "d", state: "asked" },
});

test("the question has server, tool and arguments of each call, and names each call", () => {
  const calls = [call("create"), call("close")];
  const { summary, payload } = callQuestion(calls);
  expect(summary).toBe("May coder call create of issues, close of issues?");
  expect(callPayload(payload)).toEqual({
    calls: calls.map(({ id }) => id),
    question: `coder asks to do this:

Call \`create\` of the server \`issues\` with these arguments:
{
  "title": "Door"
}

Call \`close\` of the server \`issues\` with these arguments:
{
  "title": "Door"
}

With \`yes\` it may make each of these calls, once, with exactly these arguments. With \`no\`, and why, it goes on without.`,
  });
  expect(callPayload("Shall I?")).toBeUndefined();
});

test.each([
  ["yes", "yes"],
  [" Yes! ", "yes"],
  ["yes, but another title", undefined],
  ["no", "no"],
  ["No: there is one already", "no"],
  ["nothing against it", undefined],
  ["", undefined],
] as const)("the answer %p is %p", (text, word) => {
  expect(wordOfAnswer(text)).toBe(word);
});

import { expect, test } from "bun:test";
import { transcriptText } from "../../../../../apps/cli/render/transcript-text.ts";
import type { CallWithBodies } from "../../../../../lib/client/facts/transcript.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import type { OpenCall } from "../../../../../lib/model/model-call.ts";
import type { Conversation } from "../../../../../lib/models/transcript.ts";
import type { Turn } from "../../../../../lib/models/transcript-parts.ts";
import { recordOf, reserveOrder } from "../../../../support/blackboard/model-scene.ts";
import {
  agentName,
  newArtefactId,
  newClaimId,
  newGoalId,
} from "../../../../support/records/sample.ts";

const out = { style: createStyle(false), columns: undefined, isTerminal: false };
const agent = agentName("coder");
const token = { kind: "grant", claim: newClaimId(), agent, attempt: 1, digest: "" } as const;
const caller = {
  goal_id: newGoalId(),
  claim_id: token.claim,
  artefact_id: newArtefactId(),
  agent,
  kind: "grant",
  attempt: 1,
} as const;
const open: OpenCall = { ...reserveOrder(token).call, ...caller };

const callOf = (over: Parameters<typeof recordOf>[1] = {}, body = "{}"): CallWithBodies => {
  const bodies = { text: body };
  return { call: recordOf(open, over), request: bodies, answer: bodies };
};
const talk = (turns: Turn[], over: Partial<Conversation> = {}): Conversation => ({
  turns,
  calls: [0],
  isAnswered: true,
  ...over,
});
const said = (role: Turn["role"], text: string): Turn => ({
  role,
  parts: [{ kind: "text", text }],
});

test("a conversation shows who said what, which tools were called, and what they answered", () => {
  const input = JSON.stringify({ path: "a.ts", content: "one\ntwo", force: true });
  const turns: Turn[] = [
    said("system", "Be careful."),
    {
      role: "assistant",
      parts: [
        { kind: "reasoning", text: "Hm." },
        { kind: "call", id: "c1", name: "write_file", input },
      ],
    },
    { role: "tool", parts: [{ kind: "result", id: "c1", text: "No such folder", isError: true }] },
    { role: "user", parts: [{ kind: "other", text: "image" }] },
  ];
  const text = transcriptText({ calls: [callOf()], conversations: [talk(turns)] }, out);
  expect(text).toBe(`Conversation with strong (some-model-1): $0.0000004, 40 tokens, 1 call

system
  Be careful.

assistant
  Hm.
  calls write_file
    path: a.ts
    content:
      one
      two
    force: true

tool
  write_file has failed
    No such folder

user
  [image]
`);
});

test("several conversations are numbered, and one that has no answer says why", () => {
  const failed = { outcome: "failed", problem: "The provider did not answer in time." } as const;
  const conversations = [
    talk([said("user", "Bid?")]),
    talk([said("user", "Go.")], { calls: [1], isAnswered: false }),
  ];
  const calls = [callOf({ kind: "bid" }), callOf(failed)];
  const text = transcriptText({ calls, conversations }, out);
  expect(text).toContain("Conversation 1 of 2 about the bid with strong");
  expect(text).toContain("Conversation 2 of 2 with strong");
  expect(text).toEndWith(
    "This was not answered: the call has failed. The provider did not answer in time.\n",
  );
});

test("calls without a kept request are counted", () => {
  const calls = [callOf(), { ...callOf(), request: undefined }];
  const text = transcriptText({ calls, conversations: [talk([said("user", "Go.")])] }, out);
  expect(text).toEndWith("\n1 call has no kept request: --json has what is known of them.\n");
});

test("on a terminal no control character of the model reaches it, and lines are wrapped", () => {
  const words = `\u001b[31mred ${"word ".repeat(20)}`;
  const terminal = { ...out, columns: 40, isTerminal: true };
  const text = transcriptText(
    { calls: [callOf()], conversations: [talk([said("assistant", words)])] },
    terminal,
  );
  expect(text).not.toContain("\u001b");
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(40);
});

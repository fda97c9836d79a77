// What a person is shown of what waits for them: facts in, text out.

import { expect, test } from "bun:test";
import { commandsFor, inquiryDetails } from "../../../../../apps/cli/render/inquiry-text.ts";
import type { Inquiry } from "../../../../../lib/client/facts/inquiries.ts";
import { inquiryJson } from "../../../../../lib/client/facts/inquiry-json.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { suggestFor } from "../../../../../lib/client/text/suggest.ts";
import type { ArtefactHead } from "../../../../../lib/model/artefact.ts";
import { CommitHash } from "../../../../../lib/model/ids.ts";
import { agentName, newClaimId, sampleArtefact } from "../../../../support/records/sample.ts";

const style = createStyle(false);
const commit = CommitHash.parse("0123456789012345678901234567890123456789");

function approval(text: string, isWhole: boolean, metadata: ArtefactHead["metadata"] = { summary: "The plan" }) {
  const { payload: _, ...artefact } = sampleArtefact({ type: "Plan", metadata });
  const content = { text, isWhole };
  const inquiry: Inquiry = {
    kind: "approval",
    artefact,
    content,
    claim: newClaimId(),
    agent: agentName("lead"),
    since: artefact.created_at,
  };
  const shown = (columns?: number) =>
    inquiryDetails(inquiry, { style, columns }, Date.parse(inquiry.since)).split("\n").slice(2, -1);
  return {
    shown,
    next: commandsFor(inquiry, suggestFor(undefined)).map((command) => command.replace(artefact.id.slice(0, 8), "ID")),
  };
}

test("a question about a budget is shown in its words, with the commands that raise it", () => {
  const payload = JSON.stringify({ scope: "goal", kind: "tokens", limit: 1, question: "How much more?" });
  const question = sampleArtefact({ structural_type: "Question", type: "BudgetExceeded", payload });
  const inquiry: Inquiry = { kind: "question", question, since: question.created_at };
  const shown = inquiryDetails(inquiry, { style, columns: undefined }, Date.parse(inquiry.since));
  expect(shown).toEndWith("\n\n  How much more?\n");
  expect(inquiryJson(inquiry).text).toBe("How much more?");
  const next = commandsFor(inquiry, suggestFor(undefined)).join("\n");
  expect(next).toContain(`sett answer ${question.id.slice(0, 8)} 200ktokens`);
  expect(next).toContain(`sett budget ${question.goal_id.slice(0, 8)}`);
});

test("what is to be approved is shown, and the rest of it can be had", () => {
  const short = approval("Roses.\n\u001b[31mTulips.\n", true);
  expect(short.shown()).toEqual(["  Plan, The plan", "", "  Roses.", "  Tulips."]);
  expect(short.next).toEqual(["sett approve ID", 'sett reject ID --reason "…"']);
  const lines = Array.from({ length: 50 }, (_, at) => `${at + 1}`);
  const long = approval(lines.join("\n"), true);
  expect(long.shown().slice(-2)).toEqual(["  40", "  …"]);
  expect(long.next[0]).toBe("sett unearth ID  # its whole content");
  expect(approval("Roses", false).shown().at(-1)).toBe("  …");
  expect(approval("One two three four", true).shown(12).slice(-5)).toEqual([
    "  Plan, The",
    "  plan",
    "",
    "  One two",
    "  three four",
  ]);
  expect(approval("", true).shown()).toEqual(["  Plan, The plan"]);
});

test("of a commit is said how to see what it changes", () => {
  const { shown, next } = approval(commit, true, { summary: "Painted", commit });
  expect(shown()).toEqual(["  Plan, Painted"]);
  expect(next[0]).toBe("sett unearth ID  # what the commit changes");
});

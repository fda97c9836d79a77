// The comment on the issue for which a trigger has stated a goal: how far it is, in Sett's own
// words. Pure.
import type { GoalState } from "../../../lib/core/goal-status.ts";
import type { Pull } from "../../../lib/forge/port.ts";
import { harmlessLine } from "../../../lib/forge/texts.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { unreachable } from "../../../lib/model/unreachable.ts";

/**
 * `waitsFor`: `answer` is that to a question, `review` the one at the forge, `approval` that of a
 * person elsewhere. `failure`: why it has failed, in words of agents.
 */
export type IssueFacts = {
  goal: GoalId;
  state: GoalState;
  waitsFor: "answer" | "review" | "approval" | undefined;
  failure: string | undefined;
  pull: Pick<Pull, "number" | "state"> | undefined;
};

const reasonCharacters = 300;

/** Whether nothing more comes of it, unless a person begins it again. */
export function isOver({ state, pull }: Pick<IssueFacts, "state" | "pull">): boolean {
  return state !== "running" && state !== "waiting" && pull?.state !== "open";
}

/** A question is not in it: issues are often public. */
export function issueText(facts: IssueFacts, word: string): string {
  const about = pullSentence(facts);
  return [
    `**Sett**, goal \`${facts.goal.slice(0, 8)}\`: ${stateSentence(facts)}`,
    ...(about === undefined ? [] : [about]),
    `_This comment is edited as the work goes on._\n<!-- ${word} -->`,
  ].join("\n\n");
}

function stateSentence({ state, waitsFor, failure }: IssueFacts): string {
  switch (state) {
    case "running":
      return "agents work on this issue.";
    case "waiting":
      return waitingSentence(waitsFor);
    case "failed": {
      const reason = harmlessLine(failure ?? "", reasonCharacters);
      return reason === "" ? "it has failed." : `it has failed. ${reason}`;
    }
    case "achieved":
    case "settled":
      return "the work is done.";
    case "stalled":
      return "no agent has made anything of it.";
    case "cancelled":
      return "it was cancelled.";
    default:
      return unreachable(state);
  }
}

function waitingSentence(waitsFor: IssueFacts["waitsFor"]): string {
  switch (waitsFor) {
    case "answer":
      return "an agent has a question, which waits for a person (`sett questions`).";
    case "review":
      return "a result waits for its review here.";
    case "approval":
    case undefined:
      return "a result waits for the approval of a person.";
    default:
      return unreachable(waitsFor);
  }
}

function pullSentence({ pull, ...facts }: IssueFacts): string | undefined {
  if (pull === undefined) return undefined;
  switch (pull.state) {
    case "open": {
      const isDone = facts.state === "achieved" || facts.state === "settled";
      return `Pull request #${pull.number} is open${isDone ? ", and waits to be merged" : ""}.`;
    }
    case "merged":
      return `Pull request #${pull.number} was merged.`;
    case "closed":
      return `Pull request #${pull.number} was closed without being merged.`;
    default:
      return unreachable(pull.state);
  }
}

// Decides how an artefact or a grant is shown: a tone (a colour of style/tokens.css), a symbol that
// says the same without colour, and a word for readers of the screen. Pure.
import { actorName } from "../../../lib/words/actor-name.ts";
import type { ArtefactHead, ArtefactItem, Grant } from "../data/contract.ts";
import { visibleLine } from "../text/visible-text.ts";
import type { Pending } from "./pending.ts";

export type Tone =
  | "goal"
  | "result"
  | "approval"
  | "feedback"
  | "question"
  | "answer"
  | "failure"
  | "terminal"
  | "work"
  | "wait";
export type Look = { tone: Tone; symbol: string; word: string };

type Shown = Pick<
  ArtefactHead,
  "structural_type" | "logical_id" | "goal_id" | "type" | "produced_by_agent" | "metadata"
> & { verdict?: ArtefactItem["verdict"] | undefined };

export function lookOf(shown: Shown): Look {
  const { structural_type, logical_id, goal_id, verdict } = shown;
  if (String(logical_id) === String(goal_id)) return { tone: "goal", symbol: "◎", word: "goal" };
  const revert = revertLook(shown);
  if (revert !== undefined) return revert;
  switch (structural_type) {
    case "Review":
      return verdict === "feedback"
        ? { tone: "feedback", symbol: "↺", word: "review with feedback" }
        : { tone: "approval", symbol: "✓", word: "review, approved" };
    case "Question":
      return { tone: "question", symbol: "?", word: "question" };
    case "Answer":
      return { tone: "answer", symbol: "»", word: "answer" };
    case "Failure":
      return { tone: "failure", symbol: "✕", word: "failure" };
    case "Terminal":
      return { tone: "terminal", symbol: "■", word: "end of the goal" };
    default:
      return { tone: "result", symbol: "●", word: "result" };
  }
}

type Revertible = Pick<Shown, "structural_type" | "type" | "produced_by_agent" | "metadata">;

/** Says of a person's revert, and of what has landed with it, from where the goal is taken back. */
export function revertLook({
  structural_type,
  type,
  produced_by_agent: agent,
  metadata: { reverts, lane, reverted_by: by },
}: Revertible): Look | undefined {
  const look = { tone: "feedback", symbol: "↶" } as const;
  if (structural_type === "Standard" && agent === "" && typeof reverts === "string")
    return { ...look, word: `is to take the goal back from the lane ${visibleLine(reverts, 40)}` };
  if (type !== "Landed" || typeof lane !== "string" || typeof by !== "string") return undefined;
  const who = visibleLine(actorName(`person:${by}`), 60);
  return {
    ...look,
    word: `took the goal back from the lane ${visibleLine(lane, 40)}, as ${who} asked`,
  };
}

const pendingLooks: Record<Pending["what"], Look> = {
  works: { tone: "work", symbol: "▶", word: "works" },
  queued: { tone: "wait", symbol: "○", word: "granted, has not begun" },
  answer: { tone: "question", symbol: "?", word: "waits for an answer" },
  approval: { tone: "question", symbol: "◇", word: "waits for a verdict" },
  retry: { tone: "feedback", symbol: "↻", word: "tries again soon" },
};

export function pendingLook({ what }: Pick<Pending, "what">): Look {
  return pendingLooks[what];
}

const grantLooks: Readonly<Record<Grant["state"], Look>> = {
  queued: { tone: "wait", symbol: "○", word: "granted, has not begun" },
  running: { tone: "work", symbol: "▶", word: "works" },
  waiting: { tone: "question", symbol: "?", word: "waits for a person" },
  done: { tone: "result", symbol: "●", word: "done" },
  failed: { tone: "failure", symbol: "✕", word: "failed" },
  cancelled: { tone: "wait", symbol: "⊘", word: "cancelled" },
};

/** Work of any phase may send its target back: that is no success of the target. */
export function grantLook(grant: Grant): Look {
  if (grant.state === "failed" && grant.retry_at !== undefined)
    return { tone: "feedback", symbol: "↻", word: "failed, tries again soon" };
  if (grant.state !== "done") return grantLooks[grant.state];
  if (grant.rejects === true) return { tone: "feedback", symbol: "↺", word: "sent back" };
  return grant.phase === "review"
    ? { tone: "approval", symbol: "✓", word: "approved" }
    : grantLooks.done;
}

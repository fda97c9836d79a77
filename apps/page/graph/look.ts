// Decides how an artefact or a grant is shown: a tone (a colour of style/tokens.css), a symbol that
// says the same without colour, and a word for readers of the screen. Pure.
import type { ArtefactHead, ArtefactItem, Grant } from "../data/contract.ts";
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

type Shown = Pick<ArtefactHead, "structural_type" | "logical_id" | "goal_id"> & {
  verdict?: ArtefactItem["verdict"] | undefined;
};

export function lookOf({ structural_type, logical_id, goal_id, verdict }: Shown): Look {
  if (String(logical_id) === String(goal_id)) return { tone: "goal", symbol: "◎", word: "goal" };
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

// The state of a goal: a symbol, a word and a colour, each of which says it alone.
import type { GoalState } from "../data/contract.ts";

const marks: Record<GoalState, { symbol: string; tone: string }> = {
  running: { symbol: "▶", tone: "work" },
  waiting: { symbol: "?", tone: "question" },
  achieved: { symbol: "■", tone: "terminal" },
  settled: { symbol: "✓", tone: "approval" },
  failed: { symbol: "✕", tone: "failure" },
  stalled: { symbol: "‖", tone: "feedback" },
  cancelled: { symbol: "⊘", tone: "wait" },
};

export function StateMark({ state }: { state: GoalState }) {
  return <Mark {...marks[state]} word={state} />;
}

export function Mark({ symbol, tone, word }: { symbol: string; tone: string; word: string }) {
  return (
    <span className={`state tone-${tone}`}>
      <span aria-hidden="true" className="state-symbol">
        {symbol}
      </span>
      {word}
    </span>
  );
}

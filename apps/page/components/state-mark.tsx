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
  const { symbol, tone } = marks[state];
  return (
    <span className={`state tone-${tone}`}>
      <span aria-hidden="true" className="state-symbol">
        {symbol}
      </span>
      {state}
    </span>
  );
}

// Shows what came of a goal that has ended, in the words of `sett forage --watch`, and the command
// that merges it.
import { resultRows } from "../../../../lib/words/result-sentence.ts";
import { textOf } from "../../../../lib/words/segment.ts";
import { Line } from "../../components/text.tsx";
import { getJson } from "../../data/api.ts";
import type { GoalDetail, ResultView } from "../../data/contract.ts";
import { useQuery } from "../../data/query.ts";

export function ResultCard({ goal: { id, state } }: { goal: GoalDetail }) {
  const isOver = state !== "running" && state !== "waiting";
  const { data } = useQuery(
    isOver ? `result ${id} ${state}` : undefined,
    (signal) => getJson<ResultView>(`/v1/goals/${encodeURIComponent(id)}/result`, {}, signal),
    { changedBy: ({ goal_id }) => goal_id === id, pauseMs: 1_000 },
  );
  if (!isOver || data === undefined) return null;
  return (
    <section className="result-card" aria-label="What came of the goal">
      <dl>
        {resultRows(data).map(({ name, says }, at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd>
              <Line text={textOf(says, (foreign) => foreign)} max={400} />
            </dd>
          </div>
        ))}
        {data.merge !== null && (
          <div>
            <dt>merge</dt>
            <dd>
              <code>{data.merge}</code>
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

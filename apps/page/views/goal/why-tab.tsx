// Tells why an artefact is there, in the words of `sett why`.
import { textOf } from "../../../../lib/words/segment.ts";
import { storyHeading, storyRows } from "../../../../lib/words/story-sentence.ts";
import { Problem } from "../../components/problem.tsx";
import { Line } from "../../components/text.tsx";
import { getJson } from "../../data/api.ts";
import type { StoryView } from "../../data/contract.ts";
import { useQuery } from "../../data/query.ts";

const plain = (foreign: string) => foreign;

export function WhyTab({ artefact }: { artefact: string }) {
  const { data, error, refresh } = useQuery(
    `why ${artefact}`,
    (signal) => getJson<StoryView>(`/v1/artefacts/${artefact}/why`, {}, signal),
    // What others say of it comes later.
    {
      changedBy: ({ type, goal_id }, story) =>
        type === "artefact_created" && goal_id === story?.goal.id,
      pauseMs: 3_000,
    },
  );
  if (error?.status === 404) return <p className="quiet">{error.message}</p>;
  if (error !== undefined) return <Problem error={error} retry={refresh} />;
  if (data === undefined) return <p className="quiet loading">Loading…</p>;
  return (
    <div className="result-card">
      <p>
        <Line text={textOf(storyHeading(data), plain)} max={400} />
      </p>
      <dl>
        {storyRows(data).map(({ name, says }, at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd>
              <Line text={textOf(says, plain)} max={2_000} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

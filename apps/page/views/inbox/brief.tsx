// Shows what a person should know who judges an artefact, beside what it changes: the goal's text,
// what others say, what was checked, their own earlier words, and the cost.
import { opinionSentence } from "../../../../lib/words/opinion-sentence.ts";
import { textOf } from "../../../../lib/words/segment.ts";
import { LongText } from "../../components/long-text.tsx";
import { Problem } from "../../components/problem.tsx";
import { Line, PlainText } from "../../components/text.tsx";
import { Ago } from "../../components/time.tsx";
import { getJson } from "../../data/api.ts";
import type { BriefView, OpinionView } from "../../data/contract.ts";
import { useQuery } from "../../data/query.ts";
import { goalHref } from "../../routes.ts";
import { money } from "../../text/words.ts";

/** `speaker`: the agent for which the reader judges, whose own answer is not there yet. */
type Props = { artefact: string; goal: string; speaker: string };

export function Brief({ artefact, goal, speaker }: Props) {
  const { data, error, refresh } = useQuery(
    `brief ${artefact}`,
    (signal) => getJson<BriefView>(`/v1/artefacts/${artefact}/brief`, {}, signal),
    {
      changedBy: ({ goal_id, type }) => goal_id === goal && changing.has(type),
      pauseMs: 500,
    },
  );
  return (
    <aside className="brief" aria-label="Beside the change">
      {error !== undefined && <Problem error={error} retry={refresh} />}
      {data === undefined && error === undefined && <p className="quiet loading">Loading…</p>}
      {data !== undefined && <BriefText brief={data} goal={goal} speaker={speaker} />}
    </aside>
  );
}

/** A grant that waits on has got an approval, where several people have to give one. */
const changing = new Set<string>(["grant_done", "grant_failed", "grant_waiting"]);

type TextProps = Pick<Props, "goal" | "speaker"> & { brief: BriefView };

function BriefText({ brief, goal, speaker }: TextProps) {
  const { goal: stated, reviews, checks, yours, cost, goal_cost, artefact } = brief;
  const hasCost = (cost?.calls ?? 0) > 0 || (goal_cost?.calls ?? 0) > 0;
  return (
    <>
      {stated !== null && (
        <section>
          <h3>
            The goal{" "}
            <a href={goalHref(goal)} className="small">
              open
            </a>
          </h3>
          <LongText text={stated.whole ? stated.text : `${stated.text} …`} label="The goal" />
        </section>
      )}
      <Opinions
        title="What others say of this version"
        none="No other reviewer is asked."
        of={reviews.filter(({ agent, outcome }) => agent !== speaker || outcome !== "open")}
        judged={artefact}
      />
      {checks.length > 0 && <Opinions title="Checks" none="" of={checks} judged={artefact} />}
      {yours.length > 0 && (
        <Opinions title="What you said of earlier versions" none="" of={yours} judged={artefact} />
      )}
      {hasCost && (
        <section>
          <h3>Cost</h3>
          <p className="opinion-words">
            {cost !== null && cost.calls > 0 && `this ${money(cost)}; `}
            {goal_cost !== null && `the goal so far ${money(goal_cost)}`}
          </p>
        </section>
      )}
    </>
  );
}

/** What was sent back never has the sign of what has passed, and nothing that waits is green. */
const signs: Readonly<Record<OpinionView["outcome"], { symbol: string; tone: string }>> = {
  passed: { symbol: "✓", tone: "approval" },
  feedback: { symbol: "↺", tone: "feedback" },
  failed: { symbol: "✕", tone: "failure" },
  open: { symbol: "○", tone: "wait" },
  waits: { symbol: "⋯", tone: "wait" },
};

const maxOpinions = 20;

type OpinionsProps = {
  title: string;
  none: string;
  of: readonly OpinionView[];
  judged: string;
};

function Opinions({ title, none, of, judged }: OpinionsProps) {
  return (
    <section>
      <h3>{title}</h3>
      {of.length === 0 && <p className="quiet">{none}</p>}
      <ul className="opinions">
        {of.slice(0, maxOpinions).map((opinion, at) => {
          const { symbol, tone } = signs[opinion.outcome];
          const sentence = textOf(opinionSentence(opinion, judged), (foreign) => foreign);
          return (
            <li key={at} className={`opinion tone-${tone}`}>
              <span className="row-symbol" aria-hidden="true">
                {symbol}
              </span>
              <span>
                <Line text={sentence} max={300} />{" "}
                {opinion.at !== null && (
                  <span className="quiet">
                    <Ago at={opinion.at} />
                  </span>
                )}
                {opinion.words !== "" && (
                  <span className="opinion-words">
                    <PlainText text={opinion.words} />
                  </span>
                )}
              </span>
            </li>
          );
        })}
        {of.length > maxOpinions && <li className="quiet">and {of.length - maxOpinions} more</li>}
      </ul>
    </section>
  );
}

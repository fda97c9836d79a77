// One event of the log in a line: when, who, what, with ways to its goal and its artefact.
import { memo } from "react";
import { actorName } from "../../../lib/words/actor-name.ts";
import { clockTime, fullTime } from "../../../lib/words/age.ts";
import { eventSentence } from "../../../lib/words/event-sentence.ts";
import { textOf } from "../../../lib/words/segment.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import type { SettEvent } from "../data/contract.ts";
import { useSummary } from "../data/summaries.ts";
import { goalHref } from "../routes.ts";
import { visibleLine } from "../text/visible-text.ts";

const symbols = { plain: "·", good: "✓", bad: "✕", wait: "?", work: "▶" } as const;

type Props = { event: SettEvent; hasGoal: boolean; isFolded?: boolean };

export const EventRow = memo(function EventRow({ event, hasGoal, isFolded = false }: Props) {
  const { segments, tone, weight, reason } = eventSentence(event, { isFolded });
  const said = `${textOf(segments, (foreign) => foreign)}${reason === "" ? "" : `: ${reason}`}`;
  const goal = event.goal_id;
  const isNew = event.type === "artefact_created";
  const summary = useSummary(isNew ? goal : undefined, event.artefact_id);
  const text = isNew && summary !== undefined ? `${said}: “${summary}”` : said;
  const who = actorName(event.actor);
  return (
    <li className="event" data-tone={tone} data-weight={weight}>
      <time dateTime={event.time} title={fullTime(event.time)}>
        {clockTime(event.time)}
      </time>
      {hasGoal && (goal === undefined ? <span className="event-goal" /> : <GoalLink goal={goal} />)}
      <span className="event-who" title={event.actor}>
        <bdi>{visibleLine(who, 40)}</bdi>
      </span>
      <span className="event-symbol" aria-hidden="true">
        {symbols[tone]}
      </span>
      <span className="event-text">
        <bdi title={text.length > 80 ? visibleLine(text, 1_000) : undefined}>
          <Said text={visibleLine(text, 400)} goal={goal} artefact={event.artefact_id} />
        </bdi>
      </span>
    </li>
  );
});

type SaidProps = { text: string; goal: string | undefined; artefact: string | undefined };

/** The id of the artefact leads to it, where it is in the sentence: no id is there twice. */
function Said({ text, goal, artefact }: SaidProps) {
  if (goal === undefined || artefact === undefined) return text;
  const id = shortId(artefact);
  const at = text.indexOf(id);
  const link = (
    <a className="event-link" href={goalHref(goal, artefact)}>
      <span className="hidden">artefact </span>
      {id}
    </a>
  );
  if (at === -1)
    return (
      <>
        {text} {link}
      </>
    );
  return (
    <>
      {text.slice(0, at)}
      {link}
      {text.slice(at + id.length)}
    </>
  );
}

function GoalLink({ goal }: { goal: string }) {
  return (
    <a className="event-goal" href={goalHref(goal)}>
      <span className="hidden">goal </span>
      {shortId(goal)}
    </a>
  );
}

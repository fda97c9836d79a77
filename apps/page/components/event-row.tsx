// One event of the log in a line: when, who, what, with ways to its goal and its artefact.
import { memo } from "react";
import { actorName } from "../../../lib/words/actor-name.ts";
import { clockTime, fullTime } from "../../../lib/words/age.ts";
import { eventSentence } from "../../../lib/words/event-sentence.ts";
import { textOf } from "../../../lib/words/segment.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import type { SettEvent } from "../data/contract.ts";
import { goalHref } from "../routes.ts";
import { visibleLine } from "../text/visible-text.ts";

const symbols = { plain: "·", good: "✓", bad: "✕", wait: "?", work: "▶" } as const;

export const EventRow = memo(function EventRow({
  event,
  hasGoal,
}: {
  event: SettEvent;
  hasGoal: boolean;
}) {
  const { segments, tone, weight, reason } = eventSentence(event);
  const text = `${textOf(segments, (foreign) => foreign)}${reason === "" ? "" : `: ${reason}`}`;
  const goal = event.goal_id;
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
          {visibleLine(text, 400)}
        </bdi>
        {goal !== undefined && event.artefact_id !== undefined && (
          <a className="event-link" href={goalHref(goal, event.artefact_id)}>
            <span className="hidden">artefact </span>
            {shortId(event.artefact_id)}
          </a>
        )}
      </span>
    </li>
  );
});

function GoalLink({ goal }: { goal: string }) {
  return (
    <a className="event-goal" href={goalHref(goal)}>
      <span className="hidden">goal </span>
      {shortId(goal)}
    </a>
  );
}

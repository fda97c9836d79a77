// The lanes of an instance: what is merged now, who is next, and who does not come on and why.
import type { BlockedGoal, LaneState } from "../../../lib/client/facts/lanes.ts";
import { boundedLine } from "../../../lib/client/text/plain-text.ts";
import { saidWith } from "../../../lib/client/text/quoted.ts";
import type { Layout } from "../../../lib/client/text/style.ts";
import { agoOf } from "../../../lib/words/age.ts";
import { shortId } from "../../../lib/words/short-id.ts";

const maxNamed = 5;
const maxReason = 160;

/** The reasons are agents' words, with bars where they need a row of their own. */
export function laneLines(lanes: Iterable<LaneState>, nowMs: number, layout: Layout): string[] {
  return [...lanes].flatMap(({ name, agent, tip, merges, next, blocked }) => {
    const tried =
      merges === null
        ? "merges nothing"
        : `merges goal ${shortId(merges.goal_id)}, begun ${agoOf(merges.since, nowMs)}`;
    const named = next.slice(0, maxNamed).map(({ goal_id }) => shortId(goal_id));
    const more = next.length > maxNamed ? `, and ${next.length - maxNamed} more` : "";
    const said = [
      tried,
      ...(next.length === 0 ? [] : [`next: ${named.join(", ")}${more}`]),
      ...(tip === null ? [] : [`tip ${tip.slice(0, 12)}`]),
    ];
    const left = blocked.length - maxNamed;
    return [
      `lane ${name} (${agent}): ${said.join("; ")}`,
      ...blocked.slice(0, maxNamed).flatMap((one) => blockedLines(one, nowMs, layout)),
      ...(left > 0 ? [`  and ${left} more goals that it has stopped`] : []),
    ];
  });
}

function blockedLines(
  { goal_id, waits_for, agent, reason, since }: BlockedGoal,
  nowMs: number,
  layout: Layout,
): string[] {
  const when = agoOf(since, nowMs);
  const what = {
    rework: `was sent back to ${agent} ${when}`,
    retry: `failed ${when}, and is retried`,
    resume: `was paused ${when}, and waits until it is resumed`,
  }[waits_for];
  const said = `  goal ${shortId(goal_id)} ${what}: `;
  return saidWith(said, boundedLine(reason, maxReason), layout, "    ");
}

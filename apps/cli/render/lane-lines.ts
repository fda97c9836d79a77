// The lanes of an instance, a line for each: what is merged now, and who is next.
import type { Situation } from "../../../lib/client/facts/blocked-reason.ts";
import { agoOf } from "../../../lib/words/age.ts";
import { shortId } from "../../../lib/words/short-id.ts";

const maxNamed = 5;

export function laneLines({ agents, open, nowMs }: Pick<Situation, "agents" | "open" | "nowMs">) {
  return agents.flatMap(({ name, lane }) => {
    if (lane === undefined) return [];
    const work = open
      .flatMap(({ claim, grants }) =>
        grants
          .filter(({ agent }) => agent === name)
          .map((grant) => ({ goal: shortId(claim.goal_id), grant })),
      )
      .toSorted((one, other) => (one.grant.queued_at < other.grant.queued_at ? -1 : 1));
    const tried = work.flatMap(({ goal, grant }) =>
      grant.state === "running"
        ? [`merges goal ${goal}, begun ${agoOf(grant.started_at, nowMs)}`]
        : [],
    );
    const next = work.flatMap(({ goal, grant }) => (grant.state === "queued" ? [goal] : []));
    const more = next.length > maxNamed ? `, and ${next.length - maxNamed} more` : "";
    const waiting = next.length === 0 ? [] : [`next: ${next.slice(0, maxNamed).join(", ")}${more}`];
    const said = [...(tried.length === 0 ? ["merges nothing"] : tried), ...waiting];
    return [`lane ${lane} (${name}): ${said.join("; ")}`];
  });
}

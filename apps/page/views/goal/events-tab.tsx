// The events of the log that are about an artefact: its making, and the claims on it.
import { EventRow } from "../../components/event-row.tsx";
import { Problem } from "../../components/problem.tsx";
import { getJson } from "../../data/api.ts";
import type { ArtefactDetail, Page, SettEvent } from "../../data/contract.ts";
import { useQuery } from "../../data/query.ts";

const pageSize = 500;
/** Only the events soon after the artefact are looked through, where a goal has very many. */
const maxPages = 8;

export function EventsTab({ artefact }: { artefact: ArtefactDetail }) {
  const claims = new Set(
    [...artefact.claims.map(({ id }) => id), artefact.claim_id].filter((id) => id !== ""),
  );
  const isAbout = (event: SettEvent) =>
    event.artefact_id === artefact.id ||
    (event.claim_id !== undefined && claims.has(event.claim_id));
  const { data, error, refresh } = useQuery(
    `events ${artefact.id}`,
    (signal) => readAbout(artefact, isAbout, signal),
    {
      changedBy: isAbout,
      pauseMs: 300,
    },
  );
  if (error !== undefined) return <Problem error={error} retry={refresh} />;
  if (data === undefined) return <p className="quiet loading">Loading…</p>;
  return (
    <>
      <ul className="event-list">
        {data.events.map((event) => (
          <EventRow key={event.id} event={event} hasGoal={false} />
        ))}
      </ul>
      {data.isCut && (
        <p className="quiet">More events may follow later: the log of the goal has them.</p>
      )}
    </>
  );
}

async function readAbout(
  artefact: ArtefactDetail,
  isAbout: (event: SettEvent) => boolean,
  signal: AbortSignal,
) {
  const { grant } = artefact.made_by ?? { grant: null };
  const from = Date.parse(grant === null ? artefact.created_at : grant.queued_at);
  // The log's ids begin with the time in milliseconds.
  let after = `${from - 2_000}-0`;
  const events: SettEvent[] = [];
  for (let page = 0; page < maxPages; page++) {
    const query = { goal: artefact.goal_id, after, limit: pageSize };
    const { items } = await getJson<Page<SettEvent>>("/v1/events", query, signal);
    events.push(...items.filter(isAbout));
    const last = items.at(-1);
    if (items.length < pageSize || last === undefined) return { events, isCut: false };
    after = last.id;
  }
  return { events, isCut: true };
}

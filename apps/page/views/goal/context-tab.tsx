// Shows what exactly the agent saw that made an artefact: its target first, then the context, as
// recorded in its grant.

import { shortId } from "../../../../lib/words/short-id.ts";
import { Problem } from "../../components/problem.tsx";
import { Line } from "../../components/text.tsx";
import { getJson } from "../../data/api.ts";
import type { ArtefactDetail, ArtefactHead } from "../../data/contract.ts";
import { useQuery } from "../../data/query.ts";
import { lookOf } from "../../graph/look.ts";

export function ContextTab({
  artefact,
  select,
}: {
  artefact: ArtefactDetail;
  select: (artefact: string) => void;
}) {
  const { data, error, refresh } = useQuery(`context ${artefact.id}`, (signal) =>
    getJson<{ items: ArtefactHead[] }>(`/v1/artefacts/${artefact.id}/context`, {}, signal),
  );
  if (error?.status === 404) return <p className="quiet">{error.message}</p>;
  if (error !== undefined) return <Problem error={error} retry={refresh} />;
  if (data === undefined) return <p className="quiet loading">Loading…</p>;
  if (data.items.length === 0)
    return <p className="quiet">No agent made it: it was given nothing.</p>;
  return (
    <ol className="context-list">
      {data.items.map((head, at) => {
        const look = lookOf(head);
        return (
          <li key={head.id}>
            <button
              type="button"
              className={`context-row tone-${look.tone}`}
              onClick={() => select(head.id)}
            >
              <span className="row-symbol" aria-hidden="true">
                {look.symbol}
              </span>
              <span className="context-what">
                <span>
                  <Line text={head.type} max={60} />{" "}
                  <span className="version">v{head.version}</span>
                  {at === 0 && <span className="quiet"> the target</span>}
                </span>
                <span className="quiet">
                  <Line text={head.metadata.summary ?? ""} max={160} />
                </span>
              </span>
              <code>{shortId(head.id)}</code>
            </button>
          </li>
        );
      })}
    </ol>
  );
}

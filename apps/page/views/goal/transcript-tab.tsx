// The conversations of an agent with its language model that led to an artefact.
import { LongText } from "../../components/long-text.tsx";
import { Problem } from "../../components/problem.tsx";
import { getJson } from "../../data/api.ts";
import type { TranscriptView } from "../../data/contract.ts";
import { useQuery } from "../../data/query.ts";

export function TranscriptTab({ artefact }: { artefact: string }) {
  const { data, error, refresh } = useQuery(`transcript ${artefact}`, (signal) =>
    getJson<TranscriptView>(`/v1/artefacts/${artefact}/transcript`, {}, signal),
  );
  if (error !== undefined) return <Problem error={error} retry={refresh} />;
  if (data === undefined) return <p className="quiet loading">Loading…</p>;
  const { conversations = [] } = data;
  if (conversations.length === 0) return <p className="quiet">No conversation is kept.</p>;
  return conversations.map(({ turns }, at) => (
    <section key={at} className="conversation">
      {turns.map(({ role, parts }, turn) => (
        <div key={turn} className={`turn turn-${role}`}>
          <h3>{role}</h3>
          {parts.map((part, index) => (
            <div key={index} className={`part part-${part.kind}`}>
              {part.kind === "call" && <p className="quiet">calls {part.name}</p>}
              {part.kind === "result" && (
                <p className="quiet">{part.is_error ? "failed" : "result"}</p>
              )}
              {part.kind === "reasoning" && <p className="quiet">reasoning</p>}
              <LongText
                text={part.kind === "call" ? part.input : part.text}
                label={`${role}: ${part.kind}`}
              />
            </div>
          ))}
        </div>
      ))}
    </section>
  ));
}

// Shows what the command that ended with an artefact has printed, as it is kept: of more than the
// limit, its beginning and its end.
import { shownLines, withoutEscapes } from "../../../../lib/core/terminal-text.ts";
import { LongText } from "../../components/long-text.tsx";
import { Problem } from "../../components/problem.tsx";
import { keptText } from "../../data/kept-texts.ts";
import { useQuery } from "../../data/query.ts";

const streams = ["stderr", "stdout"] as const;

export function OutputTab({ artefact }: { artefact: string }) {
  return streams.map((stream) => <Stream key={stream} artefact={artefact} stream={stream} />);
}

function Stream({ artefact, stream }: { artefact: string; stream: (typeof streams)[number] }) {
  const { data, error, refresh } = useQuery(`output ${artefact} ${stream}`, (signal) =>
    keptText(`/v1/artefacts/${artefact}/output/${stream}`, signal),
  );
  return (
    <section aria-label={stream}>
      <h3>{stream}</h3>
      {error?.status === 404 ? (
        <p className="quiet">
          {stream === "stdout"
            ? "Nothing is kept: what an agent answers on stdout is the artefact itself."
            : "Its command has printed nothing here, or it is not kept."}
        </p>
      ) : error !== undefined ? (
        <Problem error={error} retry={refresh} />
      ) : data === undefined ? (
        <p className="quiet loading">Loading…</p>
      ) : (
        <LongText text={withoutEscapes(shownLines(data))} label={stream} />
      )}
    </section>
  );
}

// The payload of an artefact, as text: JSON may be shown in order, a long one is shown in part
// first.
import { lazy, Suspense, useState } from "react";
import { ApiError } from "../data/api.ts";
import type { ArtefactDetail } from "../data/contract.ts";
import { keptText } from "../data/kept-texts.ts";
import { useQuery } from "../data/query.ts";
import { orderedJson } from "../text/ordered-json.ts";
import { byteSize } from "../text/words.ts";
import { LongText } from "./long-text.tsx";
import { Problem } from "./problem.tsx";

const CodeText = lazy(() =>
  import("./code-text.tsx").then(({ CodeText: view }) => ({ default: view })),
);

/** Larger ones are only text: their order and colours would take too long. */
const maxJsonLength = 200_000;
/** The API sends the beginning with the artefact. */
const maxWholeBytes = 250_000;

export function ArtefactContent({ artefact }: { artefact: ArtefactDetail }) {
  const { id, payload_begins, payload_bytes } = artefact;
  const beginning = payload_begins ?? "";
  const isKnown = new TextEncoder().encode(beginning).length >= payload_bytes;
  const [isWanted, setIsWanted] = useState(false);
  const isRead = !isKnown && (isWanted || payload_bytes <= maxWholeBytes);
  const { data, error, refresh } = useQuery(isRead ? `content ${id}` : undefined, (signal) =>
    keptText(`/v1/artefacts/${id}/content`, signal),
  );
  if (error !== undefined) return <Problem error={error} retry={refresh} />;
  if (isRead && data === undefined)
    return <p className="quiet loading">Loading {byteSize(payload_bytes)}…</p>;
  const text = data ?? beginning;
  return (
    <>
      {!isKnown && !isRead && (
        <div className="long-text-bar">
          <span>The beginning of {byteSize(payload_bytes)}.</span>
          <button type="button" className="small" onClick={() => setIsWanted(true)}>
            Show all
          </button>
        </div>
      )}
      <Content key={text.length} text={text} />
      <p className="content-links">
        <PlainTextButton id={id} />
      </p>
    </>
  );
}

/**
 * Opens the whole payload in a tab of its own, which cannot ask the server for it: it has no
 * session.
 */
function PlainTextButton({ id }: { id: string }) {
  const [error, setError] = useState<ApiError>();
  const open = async () => {
    // Browsers let a page open a tab at the click, and not later.
    const tab = window.open("", "_blank");
    try {
      const text = await keptText(`/v1/artefacts/${id}/content`, new AbortController().signal);
      const address = URL.createObjectURL(new Blob([text], { type: "text/plain; charset=utf-8" }));
      if (tab === null) location.assign(address);
      else tab.location.replace(address);
    } catch (thrown) {
      tab?.close();
      if (!(thrown instanceof ApiError)) throw thrown;
      setError(thrown);
    }
  };
  return (
    <>
      <button type="button" className="small" onClick={open}>
        As plain text
      </button>
      {error !== undefined && <Problem error={error} />}
    </>
  );
}

export function Content({ text }: { text: string }) {
  const json = text.length <= maxJsonLength ? orderedJson(text) : undefined;
  const [isRaw, setIsRaw] = useState(false);
  if (json === undefined) return <LongText text={text} label="Content" />;
  return (
    <>
      <div className="long-text-bar">
        <span>JSON</span>
        <button
          type="button"
          className="small"
          aria-pressed={isRaw}
          onClick={() => setIsRaw(!isRaw)}
        >
          As it was sent
        </button>
      </div>
      {isRaw ? (
        <LongText text={text} label="Content" />
      ) : (
        <Suspense fallback={<LongText text={json} label="Content" />}>
          <CodeText text={json} language="json" label="Content" />
        </Suspense>
      )}
    </>
  );
}

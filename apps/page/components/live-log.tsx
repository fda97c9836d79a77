// The log of an agent or a service, as it is written, or of one claim only what its command prints.
// It stays at its end, until the reader scrolls up.
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { type ApiError, getStream, pathOf } from "../data/api.ts";
import { asApiError } from "../data/query.ts";
import { stream } from "../data/stream.ts";
import { type LogRow, LogRows } from "../text/log-rows.ts";
import { Problem } from "./problem.tsx";
import { PlainText } from "./text.tsx";
import { type WindowHandle, WindowList } from "./window-list.tsx";

/** The lines of a log that are read first; of a claim, they go back to the command's beginning. */
const tail = { all: 500, claim: 5_000 };

type Props = {
  /** An agent, or a service. */
  name: string;
  claim?: string;
  title: ReactNode;
  /** Said of a log without a row. */
  none: string;
  close: () => void;
};

export function LiveLog({ name, claim, title, none, close }: Props) {
  const { rows, error, isEnded, retry } = useRows(name, claim);
  const list = useRef<WindowHandle>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const last = rows.at(-1);
  useEffect(() => {
    if (isAtEnd && last !== undefined) list.current?.scrollToEnd();
  }, [last, isAtEnd]);
  const what = claim === undefined ? "Log" : "Output";
  return (
    <section className="live-log" aria-label={`${what} of ${name}`}>
      <header className="bar">
        <h2>{title}</h2>
        <span className="quiet">
          {isEnded ? "ended" : isAtEnd ? "follows" : "stopped, because you scrolled up"}
        </span>
        {!isAtEnd && (
          <button type="button" className="small" onClick={() => list.current?.scrollToEnd()}>
            To the end
          </button>
        )}
        <button type="button" className="close push-right" onClick={close}>
          <span aria-hidden="true">✕ </span>Close
        </button>
      </header>
      {error !== undefined && <Problem error={error} retry={retry} />}
      {rows.length === 0 && error === undefined && <p className="quiet">{none}</p>}
      <WindowList
        handle={list}
        className="text-rows"
        count={rows.length}
        rowHeight={18}
        label={`Lines of the ${what.toLowerCase()} of ${name}`}
        onEnd={setIsAtEnd}
        row={(index) => {
          const row = rows[index];
          return (
            <li key={row?.number ?? index} className="text-row">
              {row !== undefined && <LogLine {...row} />}
            </li>
          );
        }}
      />
    </section>
  );
}

const levels = {
  error: { mark: "✕ ", tone: "tone-failure toned" },
  warn: { mark: "! ", tone: "tone-feedback toned" },
};

function LogLine({ time, level, message, rest }: LogRow) {
  const { mark, tone } = level === "info" ? { mark: "", tone: undefined } : levels[level];
  return (
    <>
      {time !== "" && <span className="quiet">{time} </span>}
      <span className={tone} title={level === "info" ? undefined : level}>
        {mark}
        <PlainText text={message} />
      </span>
      {rest !== "" && (
        <span className="quiet">
          {"  "}
          <PlainText text={rest} />
        </span>
      )}
    </>
  );
}

type Shown = { rows: LogRow[]; isEnded: boolean };

function useRows(name: string, claim: string | undefined) {
  const [shown, setShown] = useState<Shown>({ rows: [], isEnded: false });
  const [error, setError] = useState<ApiError>();
  const [attempt, setAttempt] = useState(0);

  const retry = useCallback(() => setAttempt((before) => before + 1), []);
  useEffect(() => stream.onOpen(retry), [retry]);
  useEffect(() => {
    const over = new AbortController();
    const rows = new LogRows(claim);
    let frame = 0;
    const show = () => {
      frame = 0;
      setShown({ rows: rows.rows(), isEnded: rows.isOver });
    };
    const add = (line: string) => {
      rows.add(line);
      if (frame === 0) frame = requestAnimationFrame(show);
    };
    setShown({ rows: [], isEnded: false });
    const path = pathOf(`/v1/agents/${encodeURIComponent(name)}/logs`, {
      tail: claim === undefined ? tail.all : tail.claim,
      follow: "true",
    });
    readLines(path, add, over.signal)
      .then(() => setShown({ rows: rows.rows(), isEnded: true }))
      .catch((reason: unknown) => !over.signal.aborted && setError(asApiError(reason)));
    setError(undefined);
    return () => {
      over.abort();
      cancelAnimationFrame(frame);
    };
  }, [name, claim, attempt]);
  return { ...shown, error, retry };
}

async function readLines(
  path: string,
  add: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const reader = (await getStream(path, signal))
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    const parts = `${rest}${value ?? ""}`.split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) add(line);
    if (!done) continue;
    if (rest !== "") add(rest);
    return;
  }
}

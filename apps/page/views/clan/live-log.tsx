// The log of an agent or a service, as it is written. It stays at its end, until the reader scrolls
// up.
import { useEffect, useRef, useState } from "react";
import { Problem } from "../../components/problem.tsx";
import { PlainText } from "../../components/text.tsx";
import { type WindowHandle, WindowList } from "../../components/window-list.tsx";
import { type ApiError, getStream, pathOf } from "../../data/api.ts";
import { asApiError } from "../../data/query.ts";
import { stream } from "../../data/stream.ts";
import { type LogText, logText } from "../../text/log-text.ts";

const tail = 500;
/** Older lines are dropped. */
const maxLines = 5_000;

export function LiveLog({ name, close }: { name: string; close: () => void }) {
  const { lines, error, isEnded } = useLines(name);
  const list = useRef<WindowHandle>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const last = lines.at(-1);
  useEffect(() => {
    if (isAtEnd && last !== undefined) list.current?.scrollToEnd();
  }, [last, isAtEnd]);
  return (
    <section className="live-log" aria-label={`Log of ${name}`}>
      <header className="bar">
        <h2>{name}</h2>
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
      {error !== undefined && <Problem error={error} />}
      {lines.length === 0 && error === undefined && <p className="quiet">No line yet.</p>}
      <WindowList
        handle={list}
        className="text-rows"
        count={lines.length}
        rowHeight={18}
        label={`Lines of the log of ${name}`}
        onEnd={setIsAtEnd}
        row={(index) => {
          const line = lines[index];
          return (
            <li key={line?.number ?? index} className="text-row">
              {line !== undefined && <LogLineText {...line} />}
            </li>
          );
        }}
      />
    </section>
  );
}

type LogLine = LogText & { number: number };

const levels = {
  error: { mark: "✕ ", tone: "tone-failure toned" },
  warn: { mark: "! ", tone: "tone-feedback toned" },
};

function LogLineText({ time, level, message, rest }: LogLine) {
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

function useLines(name: string): {
  lines: LogLine[];
  error: ApiError | undefined;
  isEnded: boolean;
} {
  const [lines, setLines] = useState<LogLine[]>([]);
  const [error, setError] = useState<ApiError>();
  const [isEnded, setIsEnded] = useState(false);
  const [attempt, setAttempt] = useState(0);

  useEffect(() => stream.onOpen(() => setAttempt((before) => before + 1)), []);
  useEffect(() => {
    const over = new AbortController();
    let number = 0;
    let arrived: LogLine[] = [];
    let frame = 0;
    const show = () => {
      frame = 0;
      const more = arrived;
      arrived = [];
      setLines((before) => [...before, ...more].slice(-maxLines));
    };
    const add = (text: string) => {
      number += 1;
      arrived.push({ number, ...logText(text) });
      if (frame === 0) frame = requestAnimationFrame(show);
    };
    setLines([]);
    setIsEnded(false);
    const path = pathOf(`/v1/agents/${encodeURIComponent(name)}/logs`, { tail, follow: "true" });
    readLines(path, add, over.signal)
      .then(() => setIsEnded(true))
      .catch((reason: unknown) => !over.signal.aborted && setError(asApiError(reason)));
    setError(undefined);
    return () => {
      over.abort();
      cancelAnimationFrame(frame);
    };
  }, [name, attempt]);
  return { lines, error, isEnded };
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

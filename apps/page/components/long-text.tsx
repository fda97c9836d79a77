// A text of any length: the beginning first, all of it on demand, and then only the lines in view
// are in the document.
import { useMemo, useState } from "react";
import { byteSize, count } from "../text/words.ts";
import { PlainText } from "./text.tsx";
import { WindowList } from "./window-list.tsx";

const maxShownLength = 24_000;
const maxShownLines = 400;
const rowHeight = 18;
/** A longer line is shown as several. */
const maxColumns = 240;

export function LongText({ text, label }: { text: string; label: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const beginning = useMemo(() => beginningOf(text), [text]);
  if (text === "") return <p className="quiet">Empty.</p>;
  if (beginning.length === text.length) return <ScrolledText label={label} text={text} />;
  return (
    <div className="long-text">
      <div className="long-text-bar">
        <span>
          {isWhole
            ? `All of it, ${byteSize(text.length)}.`
            : `The beginning of ${byteSize(text.length)}.`}
        </span>
        <button type="button" className="small" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? "Show the beginning" : "Show all"}
        </button>
      </div>
      {isWhole ? (
        <WholeText text={text} label={label} />
      ) : (
        <ScrolledText label={label} text={beginning} />
      )}
    </div>
  );
}

function ScrolledText({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className="text-box" aria-label={label} tabIndex={0}>
      <pre>
        <PlainText text={text} />
      </pre>
    </section>
  );
}

function WholeText({ text, label }: { text: string; label: string }) {
  const rows = useMemo(() => rowsOf(text), [text]);
  return (
    <WindowList
      className="text-rows"
      count={rows.length}
      rowHeight={rowHeight}
      label={`${label}: ${count(rows.length, "row")}`}
      row={(index) => (
        <li key={index} className="text-row">
          <PlainText text={rows[index] ?? ""} />
        </li>
      )}
    />
  );
}

/** Whole lines where there are short ones. */
function beginningOf(text: string): string {
  let end = -1;
  for (let line = 0; line < maxShownLines; line++) {
    const next = text.indexOf("\n", end + 1);
    if (next === -1 || next > maxShownLength)
      return text.length <= maxShownLength ? text : text.slice(0, maxShownLength);
    end = next;
  }
  return text.slice(0, end);
}

function rowsOf(text: string): string[] {
  const rows: string[] = [];
  for (const line of text.split("\n")) {
    if (line.length <= maxColumns) rows.push(line);
    else
      for (let at = 0; at < line.length; at += maxColumns)
        rows.push(line.slice(at, at + maxColumns));
  }
  return rows;
}

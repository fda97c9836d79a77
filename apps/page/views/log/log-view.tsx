// The log of the instance as it is written, and its past; the filters are in the address, so that a
// view of it can be shared.
import { useEffect, useMemo, useRef, useState } from "react";
import { EventRow } from "../../components/event-row.tsx";
import { Problem } from "../../components/problem.tsx";
import { type WindowHandle, WindowList } from "../../components/window-list.tsx";
import { go, usePlace } from "../../data/place.ts";
import { useWidth } from "../../data/width.ts";
import { hrefOf } from "../../routes.ts";
import { isFoldedAway } from "../../text/folding.ts";
import { Filters, filterOf } from "./filters.tsx";
import { useEvents } from "./use-events.ts";

/** As high as the style says. In a narrow window the sentence has two lines of its own. */
const rowHeight = 26;
const narrowRowHeight = 72;
const narrowPx = 760;

export function LogView() {
  const { query } = usePlace();
  const filter = filterOf(query);
  const isFolded = query.all !== "1";
  const {
    events: read,
    error,
    isComplete,
    isReading,
    readOlder,
    isPaused,
    turn,
  } = useEvents(filter);
  const events = useMemo(
    () => (isFolded ? read.filter((event) => !isFoldedAway(event)) : read),
    [read, isFolded],
  );
  const isNarrow = useWidth() <= narrowPx;
  const list = useRef<WindowHandle>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const last = events.at(-1)?.id;
  useEffect(() => {
    if (isAtEnd && last !== undefined) list.current?.scrollToEnd();
  }, [last, isAtEnd]);
  return (
    <>
      <header className="view-head">
        <h1>Log</h1>
        <Filters query={query} />
      </header>
      {error !== undefined && <Problem error={error} />}
      <div className="bar log-bar">
        <button
          type="button"
          className="small"
          disabled={isComplete || isReading}
          onClick={readOlder}
        >
          {isComplete ? "This is the beginning" : "Older events"}
        </button>
        <span className="quiet">{events.length.toLocaleString("en")} events</span>
        <label className="check">
          <input
            type="checkbox"
            checked={!isFolded}
            onChange={({ target }) =>
              go(hrefOf("/log", { ...query, all: target.checked ? "1" : undefined }), {
                replace: true,
              })
            }
          />
          Every bid and call
        </label>
        <button type="button" className="small push-right" aria-pressed={isPaused} onClick={turn}>
          {isPaused ? "Go on" : "Hold"}
        </button>
        {!isAtEnd && (
          <button type="button" className="small" onClick={() => list.current?.scrollToEnd()}>
            To the newest
          </button>
        )}
      </div>
      {events.length === 0 && error === undefined ? (
        <div className="empty">
          <p>{isReading ? "Loading…" : "No event is like this."}</p>
        </div>
      ) : (
        <WindowList
          handle={list}
          className={`log-rows ${isNarrow ? "log-rows-narrow" : "log-rows-wide"}`}
          count={events.length}
          rowHeight={isNarrow ? narrowRowHeight : rowHeight}
          label="Events, oldest first"
          onEnd={setIsAtEnd}
          row={(index) => {
            const event = events[index];
            return event === undefined ? null : (
              <EventRow
                key={event.id}
                event={event}
                hasGoal={filter.goal === undefined}
                isFolded={isFolded}
              />
            );
          }}
        />
      )}
    </>
  );
}

// The grants of a goal by the clock: a row for each agent, live. What an agent waits for its turn
// is a thin line, what its grant waits for the agent is an empty bar, and its work is a full one.
import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { duration } from "../../../../lib/words/age.ts";
import { Line } from "../../components/text.tsx";
import { useNow } from "../../data/clock.ts";
import type { ArtefactNode } from "../../data/goal-graph.ts";
import { type Scale, type Span, scaleOf, startOf, timelineOf } from "../../graph/timeline.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { count } from "../../text/words.ts";

const trackHeight = 28;
const zoomStep = 1.6;
const maxZoom = 400;
/** A tick has room for its time. */
const tickPx = 90;
/** Bars that are narrower than this are drawn as one. */
const minPx = 4;
/** What is so far out of view is not in the document. */
const marginPx = 600;

type Props = {
  nodes: readonly ArtefactNode[];
  /** Only grants about these, and what came of them; undefined: all. */
  matches: ReadonlySet<string> | undefined;
  /** The id of an artefact, or the claim and agent of a grant. */
  selected: string | undefined;
  /** A grant to scroll to. */
  sought: { claim: string; agent: string } | undefined;
  open: (span: Span) => void;
};

export function TimelineView({ nodes, matches, selected, sought, open }: Props) {
  const box = useRef<HTMLElement>(null);
  const [zoom, setZoom] = useState(1);
  const view = useView(box);
  const now = useNow();
  const rows = useMemo(() => {
    if (matches === undefined) return timelineOf(nodes);
    const isShown = ({ target, made }: Span) =>
      matches.has(target.id) || made.some((id) => matches.has(id));
    return timelineOf(nodes).flatMap(({ agent, tracks }) => {
      const left = tracks.map((track) => track.filter(isShown)).filter(({ length }) => length > 0);
      return left.length === 0 ? [] : [{ agent, tracks: left }];
    });
  }, [nodes, matches]);
  useSought(box, sought);
  const width = Math.max(200, view.width * zoom);
  const scale = scaleOf(rows, now, Math.max(2, Math.floor(width / tickPx)));
  const turn = (by: number) => {
    const next = Math.max(1, Math.min(maxZoom, zoom * by));
    setZoom(next);
    // The middle stays where it is.
    const middle = (view.left + view.width / 2) / width;
    requestAnimationFrame(() =>
      box.current?.scrollTo({ left: middle * view.width * next - view.width / 2 }),
    );
  };
  if (rows.length === 0)
    return <p className="quiet loading">No agent has been granted work on it.</p>;
  return (
    <div className="timeline">
      <div className="timeline-head">
        <TimelineKey />
        <fieldset className="push-right graph-controls" aria-label="Scale of the timeline">
          <button
            type="button"
            className="small"
            aria-label="Nearer"
            onClick={() => turn(zoomStep)}
          >
            +
          </button>
          <button
            type="button"
            className="small"
            aria-label="Farther"
            onClick={() => turn(1 / zoomStep)}
          >
            −
          </button>
          <button
            type="button"
            className="small"
            aria-pressed={zoom === 1}
            onClick={() => setZoom(1)}
          >
            All
          </button>
        </fieldset>
      </div>
      <section
        ref={box}
        className="timeline-scroll"
        aria-label={`Timeline of ${count(rows.length, "agent")}. Arrow keys move, Enter opens.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
        tabIndex={0}
        onKeyDown={moveFocus}
      >
        <div className="timeline-rows" style={{ width: width + nameWidth }}>
          <Ticks scale={scale} width={width} />
          <Gaps scale={scale} width={width} />
          {rows.map(({ agent, tracks }) => (
            <section key={agent} className="timeline-row" aria-label={agent}>
              <h2 className="timeline-name">
                <Line text={agent} max={40} />
              </h2>
              <ol className="timeline-tracks" style={{ height: tracks.length * trackHeight }}>
                {tracks.flatMap((track, at) =>
                  barsOf(track, { scale, width, now, view }).map((bar) => (
                    <Bar
                      key={bar.span.id}
                      bar={bar}
                      top={at * trackHeight}
                      now={now}
                      isSelected={isOf(bar.span, selected)}
                      open={open}
                    />
                  )),
                )}
              </ol>
            </section>
          ))}
        </div>
      </section>
    </div>
  );
}

function isOf({ claim, agent, made }: Span, selected: string | undefined): boolean {
  return selected !== undefined && (`${claim} ${agent}` === selected || made.includes(selected));
}

/** What runs is at the end of the time. */
function useSought(box: { current: HTMLElement | null }, sought: Props["sought"]): void {
  useEffect(() => {
    const element = box.current;
    if (sought === undefined || element === null) return;
    element.scrollTo({ left: element.scrollWidth });
    const name = `${sought.claim} ${sought.agent}`;
    const bar = element.querySelector<HTMLElement>(`[data-grant="${CSS.escape(name)}"]`);
    bar?.scrollIntoView({ block: "nearest", inline: "nearest" });
    bar?.focus();
  }, [box, sought]);
}

/** The style says the same width. */
const nameWidth = 128;

type View = { left: number; width: number };

/** The part of the time that is in view, in pixels and in steps: scrolling draws little anew. */
function useView(box: { current: HTMLElement | null }): View {
  const [view, setView] = useState<View>({ left: 0, width: 900 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => {
      const next = {
        left: Math.floor(element.scrollLeft / 200) * 200,
        width: element.clientWidth - nameWidth - 16,
      };
      setView((before) =>
        before.left === next.left && before.width === next.width ? before : next,
      );
    };
    measure();
    element.addEventListener("scroll", measure, { passive: true });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, [box]);
  return view;
}

function TimelineKey() {
  return (
    <ul className="timeline-key">
      <li>
        <span aria-hidden="true" className="timeline-asked" /> has bid, and waits for its turn
      </li>
      <li>
        <span aria-hidden="true" className="timeline-queued" /> granted, waits for its agent
      </li>
      <li>
        <span aria-hidden="true" className="timeline-work tone-work" /> at work
      </li>
    </ul>
  );
}

/** They are behind the bars, so that these can be read. */
function Gaps({ scale, width }: { scale: Scale; width: number }) {
  return scale.cuts.map((cut) => (
    <span key={cut.at} aria-hidden="true" className="timeline-gap" style={cutStyle(cut, width)} />
  ));
}

function cutStyle({ at, width: part }: Scale["cuts"][number], width: number) {
  return { left: nameWidth + at * width, width: part * width };
}

function Ticks({ scale, width }: { scale: Scale; width: number }) {
  return (
    <div className="timeline-ticks" aria-hidden="true">
      {scale.cuts.map((cut) => (
        <span key={`cut ${cut.at}`} className="timeline-cut" style={cutStyle(cut, width)}>
          {cut.width * width > 50 && `⋯ ${duration(cut.ms)}`}
        </span>
      ))}
      {scale.ticks.map(({ at, ms }) => (
        <span key={ms} className="timeline-tick" style={{ left: nameWidth + at * width }}>
          {duration(ms)}
        </span>
      ))}
    </div>
  );
}

/** Pixels from the beginning. `count`: of the grants that are drawn as this one. */
type BarShape = {
  span: Span;
  asked: number;
  queued: number;
  started: number;
  ended: number;
  count: number;
};

function barsOf(
  track: readonly Span[],
  { scale, width, now, view }: { scale: Scale; width: number; now: number; view: View },
): BarShape[] {
  const bars: BarShape[] = [];
  for (const span of track) {
    const place = (ms: number | undefined) => scale.at(ms ?? now) * width;
    const ended = place(span.ended);
    const queued = place(startOf(span));
    if (ended < view.left - marginPx || queued > view.left + view.width + marginPx) continue;
    const before = bars.at(-1);
    if (before !== undefined && ended - before.queued < minPx) {
      // The one that says more is the one that is opened.
      if (span.look.tone === "failure" || span.look.tone === "work") before.span = span;
      before.ended = ended;
      before.count += 1;
      continue;
    }
    bars.push({
      ...{ span, queued, ended, count: 1 },
      asked: span.asked === undefined ? queued : place(span.asked),
      started: span.queued === undefined ? ended : place(span.started ?? span.ended),
    });
  }
  return bars;
}

type BarProps = {
  bar: BarShape;
  top: number;
  now: number;
  isSelected: boolean;
  open: (span: Span) => void;
};

function Bar({ bar, top, now, isSelected, open }: BarProps) {
  const { span, asked, queued, started, ended, count: together } = bar;
  const width = Math.max(minPx, ended - queued);
  const isBid = span.queued === undefined;
  const sentence = sentenceOf(span, now, together);
  return (
    <li className={`tone-${span.look.tone}`}>
      {queued - asked > 1 && !isBid && (
        <span
          aria-hidden="true"
          className="timeline-asked"
          style={{ left: asked, width: queued - asked, top: top + trackHeight - 6 }}
        />
      )}
      <button
        type="button"
        className={isBid ? "timeline-bar timeline-bid" : "timeline-bar"}
        data-narrow={width < 14}
        data-grant={`${span.claim} ${span.agent}`}
        data-wait={started - queued > 1}
        aria-current={isSelected}
        aria-label={sentence}
        title={sentence}
        tabIndex={-1}
        style={{
          ...{ left: queued, top: top + 2, width, minWidth: 0 },
          ["--waits" as string]: `${Math.min(width, started - queued)}px`,
        }}
        onClick={() => open(span)}
      >
        {width > 26 && !isBid && (
          <span className="timeline-label" aria-hidden="true">
            {span.look.symbol} {width > 60 && visibleLine(targetName(span), 60)}
          </span>
        )}
      </button>
    </li>
  );
}

function targetName({ target: { type, version } }: Span): string {
  return version > 1 ? `${type} v${version}` : type;
}

/** `packager: exclusive on ChangelogDraft v2, works, 0:42, after 0:03 of waiting`. */
function sentenceOf(span: Span, now: number, together: number): string {
  const { agent, phase, attempt, look, queued, started, ended } = span;
  const what = `${agent}: ${phase} on ${visibleLine(targetName(span), 60)}`;
  const again = attempt > 1 ? `, attempt ${attempt}` : "";
  const from = started ?? startOf(span);
  const long = `, ${duration((ended ?? now) - from)}`;
  const waited =
    started !== undefined && queued !== undefined && started - queued >= 1_000
      ? `, after ${duration(started - queued)} of waiting`
      : "";
  const more = together > 1 ? `; and ${together - 1} more` : "";
  return `${what}${again}, ${look.word}${long}${waited}${more}`;
}

/** The arrow keys move along a row, and to the nearest bar of another row. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const bars = [...event.currentTarget.querySelectorAll<HTMLElement>(".timeline-bar")];
  const current = bars.find((bar) => bar === document.activeElement);
  if (current === undefined) return bars[0]?.focus();
  const rowOf = (bar: HTMLElement) => bar.closest(".timeline-row");
  const isAlong = event.key === "ArrowRight" || event.key === "ArrowLeft";
  if (isAlong) {
    const row = bars.filter((bar) => rowOf(bar) === rowOf(current));
    return row[row.indexOf(current) + by]?.focus();
  }
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(".timeline-row")];
  const next = rows[rows.indexOf(rowOf(current) as HTMLElement) + by];
  const far = (bar: HTMLElement) => Math.abs(bar.offsetLeft - current.offsetLeft);
  bars
    .filter((bar) => rowOf(bar) === next)
    .sort((one, other) => far(one) - far(other))[0]
    ?.focus();
}

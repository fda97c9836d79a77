// One goal: its graph or its list of artefacts, what runs and waits now, and all about the artefact
// that is selected.
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { Problem } from "../../components/problem.tsx";
import { Line } from "../../components/text.tsx";
import type { ApiError } from "../../data/api.ts";
import { getJson } from "../../data/api.ts";
import type { GoalDetail, ResultView } from "../../data/contract.ts";
import { followGraph, type GoalGraph, withPoster } from "../../data/goal-graph.ts";
import { go, usePlace } from "../../data/place.ts";
import { asApiError, useQuery } from "../../data/query.ts";
import { useWidth } from "../../data/width.ts";
import { newestVersions } from "../../graph/geometry.ts";
import { type Pending, pendingOf } from "../../graph/pending.ts";
import type { Span } from "../../graph/timeline.ts";
import { hrefOf } from "../../routes.ts";
import { statedBy } from "../goals/goal-filter.ts";
import { ArtefactList } from "./artefact-list.tsx";
import { FilterBar, type GoalShape, goalViews, useMatches } from "./filter-bar.tsx";
import { GoalHead } from "./goal-head.tsx";
import { GrantPane } from "./grant-pane.tsx";
import { Inspector } from "./inspector.tsx";
import { NowPanel } from "./now-panel.tsx";
import { ResultCard } from "./result-card.tsx";
import { TimelineView } from "./timeline-view.tsx";

const GraphView = lazy(() =>
  import("../../graph/graph-view.tsx").then(({ GraphView: view }) => ({ default: view })),
);

/** Below this width one thing is shown at a time. */
const narrowPx = 760;
/** How far a workspace is changes without an event. */
const whileAtWorkMs = 5_000;

export function GoalView({ goal }: { goal: string }) {
  const [everyMs, setEveryMs] = useState<number>();
  const { data, error, refresh } = useQuery(
    `goal ${goal}`,
    (signal) => getJson<GoalDetail>(`/v1/goals/${encodeURIComponent(goal)}`, {}, signal),
    {
      changedBy: ({ goal_id, type }, known) =>
        goal_id === known?.id && type !== "model_called" && type !== "tool_called",
      pauseMs: 120,
      everyMs,
    },
  );
  const isAtWork = data?.waiting_for.some(({ kind }) => kind === "work") === true;
  useEffect(() => setEveryMs(isAtWork ? whileAtWorkMs : undefined), [isAtWork]);
  if (error !== undefined && data === undefined)
    return (
      <>
        <header className="view-head">
          <h1>
            Goal <Line text={goal} max={40} />
          </h1>
          <a href="#/goals">All goals</a>
        </header>
        <Problem error={error} retry={refresh} />
      </>
    );
  if (data === undefined) return <p className="quiet loading">Loading the goal…</p>;
  return <OpenGoal goal={data} refresh={refresh} />;
}

function OpenGoal({ goal, refresh }: { goal: GoalDetail; refresh: () => void }) {
  const { query } = usePlace();
  const isNarrow = useWidth() < narrowPx;
  const { graph, error } = useGraph(goal.id, statedBy(goal));
  const pending = useMemo(() => (graph === undefined ? [] : pendingOf(graph.nodes)), [graph]);
  const result = useResult(goal);
  const matches = useMatches(graph, query);
  const shape = goalViews.find((name) => name === query.view) ?? (isNarrow ? "list" : "graph");
  const [sought, setSought] = useState<Pending>();
  const { change, show, isOpen } = useShown(goal.id, query);
  const select = (artefact: string | undefined) =>
    show(artefact === undefined ? {} : { a: artefact });
  const openGrant = ({ claim, agent }: Pick<Pending, "claim" | "agent">) =>
    show({ o: `${claim} ${agent}` });
  const running = pending.filter(({ what }) => what === "works");
  return (
    <div className="goal" data-inspecting={isOpen}>
      <GoalHead goal={goal} tookMs={result?.duration_ms ?? undefined} refresh={refresh} />
      {result !== undefined && <ResultCard result={result} />}
      <div className="goal-body">
        <section className="goal-main" aria-label="Artefacts of the goal">
          <FilterBar
            {...{ shape, query, graph, matches, change }}
            jump={running.length === 0 ? undefined : () => setSought(nextOf(running, sought))}
          />
          {error !== undefined && graph === undefined && <Problem error={error} />}
          {error === undefined && graph === undefined && (
            <p className="quiet loading">Loading the artefacts…</p>
          )}
          {graph !== undefined && (
            <Artefacts
              {...{ shape, graph, pending, matches, sought, select, openGrant }}
              isFolded={query.stack === "1"}
              selected={query.a}
              openedGrant={query.o}
            />
          )}
        </section>
        <aside className="goal-side" aria-label={sideName(query)}>
          {query.o !== undefined && graph !== undefined && (
            <GrantPane
              key={query.o}
              goal={goal.id}
              grant={query.o}
              close={() => show({})}
              {...{ graph, select }}
            />
          )}
          {query.o === undefined && query.a !== undefined && (
            <Inspector
              key={query.a}
              artefact={query.a}
              tab={query.tab}
              change={(tab) => change({ tab })}
              {...{ graph, select }}
            />
          )}
          {!isOpen && <NowPanel {...{ goal, pending, graph, select, openGrant }} />}
        </aside>
      </div>
    </div>
  );
}

/** `a`: an artefact, `o`: a grant; with neither of them what is beside the others is closed. */
type Shown = { a?: string; o?: string };

/**
 * The address says what is shown beside the artefacts; the keyboard goes back to what opened it.
 */
function useShown(goal: string, query: Record<string, string>) {
  const opener = useRef<HTMLElement | null>(null);
  const isOpen = query.a !== undefined || query.o !== undefined;
  const change = (next: Record<string, string | undefined>) =>
    go(hrefOf(`/goals/${goal}`, { ...query, ...next }), { replace: true });
  const show = ({ a, o }: Shown) => {
    const isEnd = a === undefined && o === undefined;
    if (!isEnd && !isOpen) opener.current = document.activeElement as HTMLElement | null;
    change({ a, o, tab: isEnd ? undefined : query.tab });
    // What opened it may be gone meanwhile, as the list of what runs is.
    const { current: before } = opener;
    const isThere = before?.isConnected === true;
    if (isEnd) (isThere ? before : document.querySelector<HTMLElement>("#main"))?.focus();
  };
  return { change, show, isOpen };
}

function sideName({ a, o }: Record<string, string>): string {
  if (o !== undefined) return "Output";
  return a === undefined ? "Now" : "The selected artefact";
}

/** Each press leads to another one that runs. */
function nextOf(running: readonly Pending[], before: Pending | undefined): Pending | undefined {
  const at = running.findIndex(({ id }) => id === before?.id);
  const next = running[(at + 1) % running.length];
  return next && { ...next };
}

type ArtefactsProps = {
  shape: GoalShape;
  graph: GoalGraph;
  pending: readonly Pending[];
  matches: ReadonlySet<string> | undefined;
  isFolded: boolean;
  sought: Pending | undefined;
  selected: string | undefined;
  openedGrant: string | undefined;
  select: (artefact: string | undefined) => void;
  openGrant: (grant: Pick<Pending, "claim" | "agent">) => void;
};

function Artefacts({ shape, graph, matches, isFolded, ...rest }: ArtefactsProps) {
  const { pending, sought, selected, openedGrant, select, openGrant } = rest;
  const nodes = useMemo(() => {
    const shown = isFolded ? newestVersions(graph.nodes) : graph.nodes;
    return matches === undefined ? shown : shown.filter(({ id }) => matches.has(id));
  }, [graph, matches, isFolded]);
  const openSpan = (span: Span) => {
    const [made] = span.made;
    if (made !== undefined) select(made);
    else if (span.started !== undefined && !span.isPerson) openGrant(span);
    else select(span.target.id);
  };
  if (shape === "list")
    return (
      <ArtefactList nodes={nodes} selected={selected} sought={sought?.target} select={select} />
    );
  if (shape === "timeline")
    return (
      <TimelineView
        nodes={graph.nodes}
        matches={matches}
        sought={sought}
        selected={openedGrant ?? selected}
        open={openSpan}
      />
    );
  return (
    <Suspense fallback={<p className="quiet loading">Loading the graph…</p>}>
      <GraphView
        graph={graph}
        pending={pending}
        isStacked={isFolded}
        matches={matches}
        sought={sought?.id}
        selected={selected}
        select={select}
        openGrant={openGrant}
      />
    </Suspense>
  );
}

/** The result of a goal that has ended; undefined while it is at work. */
function useResult(goal: GoalDetail | undefined): ResultView | undefined {
  const isOver = goal !== undefined && goal.state !== "running" && goal.state !== "waiting";
  const { data } = useQuery(
    isOver ? `result ${goal.id} ${goal.state}` : undefined,
    (signal) =>
      getJson<ResultView>(`/v1/goals/${encodeURIComponent(goal?.id ?? "")}/result`, {}, signal),
    { changedBy: ({ goal_id }) => goal_id === goal?.id, pauseMs: 1_000 },
  );
  return isOver ? data : undefined;
}

function useGraph(
  goal: string,
  poster: string,
): { graph: GoalGraph | undefined; error: ApiError | undefined } {
  const [graph, setGraph] = useState<GoalGraph>();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    const changed = (next: GoalGraph) => {
      setGraph(withPoster(next, goal, poster));
      setError(undefined);
    };
    return followGraph(goal, changed, (reason) => setError(asApiError(reason)));
  }, [goal, poster]);
  return { graph, error };
}

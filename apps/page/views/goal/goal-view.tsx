// One goal: its graph or its list of artefacts, what runs and waits now, and all about the artefact
// that is selected.
import { useEffect, useMemo, useRef, useState } from "react";
import { Problem } from "../../components/problem.tsx";
import { Line } from "../../components/text.tsx";
import type { ApiError } from "../../data/api.ts";
import { getJson } from "../../data/api.ts";
import type { GoalDetail } from "../../data/contract.ts";
import { followGraph, type GoalGraph } from "../../data/goal-graph.ts";
import { go, usePlace } from "../../data/place.ts";
import { asApiError, useQuery } from "../../data/query.ts";
import { useWidth } from "../../data/width.ts";
import { GraphView } from "../../graph/graph-view.tsx";
import { pendingOf } from "../../graph/pending.ts";
import { hrefOf } from "../../routes.ts";
import { ArtefactList } from "./artefact-list.tsx";
import { GoalHead } from "./goal-head.tsx";
import { Inspector } from "./inspector.tsx";
import { NowPanel } from "./now-panel.tsx";
import { ResultCard } from "./result-card.tsx";

/** Below this width one thing is shown at a time. */
const narrowPx = 760;
/** How far a workspace is changes without an event. */
const whileAtWorkMs = 5_000;

export function GoalView({ goal }: { goal: string }) {
  const { query } = usePlace();
  const isNarrow = useWidth() < narrowPx;
  const [everyMs, setEveryMs] = useState<number>();
  const detail = useQuery(
    `goal ${goal}`,
    (signal) => getJson<GoalDetail>(`/v1/goals/${encodeURIComponent(goal)}`, {}, signal),
    {
      changedBy: ({ goal_id, type }, data) => goal_id === data?.id && type !== "model_called",
      pauseMs: 120,
      everyMs,
    },
  );
  const isAtWork = detail.data?.waiting_for.some(({ kind }) => kind === "work") === true;
  useEffect(() => setEveryMs(isAtWork ? whileAtWorkMs : undefined), [isAtWork]);
  const id = detail.data?.id;
  const { graph, error } = useGraph(id);
  const pending = useMemo(() => (graph === undefined ? [] : pendingOf(graph.nodes)), [graph]);
  const view = query.view ?? (isNarrow ? "list" : "graph");
  const selected = query.a;
  const opener = useRef<HTMLElement | null>(null);

  const change = (next: Record<string, string | undefined>) =>
    go(hrefOf(`/goals/${goal}`, { ...query, ...next }), { replace: true });
  const select = (artefact: string | undefined) => {
    if (artefact !== undefined && selected === undefined)
      opener.current = document.activeElement as HTMLElement | null;
    change({ a: artefact, tab: artefact === undefined ? undefined : query.tab });
    if (artefact === undefined) opener.current?.focus();
  };

  if (detail.error !== undefined && detail.data === undefined)
    return (
      <>
        <header className="view-head">
          <h1>
            Goal <Line text={goal} max={40} />
          </h1>
          <a href="#/goals">All goals</a>
        </header>
        <Problem error={detail.error} retry={detail.refresh} />
      </>
    );
  if (detail.data === undefined) return <p className="quiet loading">Loading the goal…</p>;
  return (
    <div className="goal" data-inspecting={selected !== undefined}>
      <GoalHead goal={detail.data} refresh={detail.refresh} />
      <ResultCard goal={detail.data} />
      <div className="goal-body">
        <section className="goal-main" aria-label="Artefacts of the goal">
          <Bar
            view={view}
            isStacked={query.stack === "1"}
            count={graph?.nodes.length}
            change={change}
          />
          {error !== undefined && graph === undefined && <Problem error={error} />}
          {error === undefined && graph === undefined && (
            <p className="quiet loading">Loading the artefacts…</p>
          )}
          {graph !== undefined && view === "graph" && (
            <GraphView
              graph={graph}
              pending={pending}
              isStacked={query.stack === "1"}
              selected={selected}
              select={select}
            />
          )}
          {graph !== undefined && view === "list" && (
            <ArtefactList nodes={graph.nodes} selected={selected} select={select} />
          )}
        </section>
        <aside
          className="goal-side"
          aria-label={selected === undefined ? "Now" : "The selected artefact"}
        >
          {selected === undefined ? (
            <NowPanel goal={detail.data} pending={pending} graph={graph} select={select} />
          ) : (
            <Inspector
              key={selected}
              artefact={selected}
              tab={query.tab}
              graph={graph}
              change={(tab) => change({ tab })}
              select={select}
            />
          )}
        </aside>
      </div>
    </div>
  );
}

type BarProps = {
  view: string;
  isStacked: boolean;
  /** Artefacts; undefined until they are loaded. */
  count: number | undefined;
  change: (next: Record<string, string | undefined>) => void;
};

/** Chooses how the artefacts are shown. */
function Bar({ view, isStacked, count, change }: BarProps) {
  return (
    <div className="bar">
      <fieldset className="segmented" aria-label="Show the artefacts as">
        <button
          type="button"
          aria-pressed={view === "graph"}
          onClick={() => change({ view: "graph" })}
        >
          Graph
        </button>
        <button
          type="button"
          aria-pressed={view === "list"}
          onClick={() => change({ view: "list" })}
        >
          List
        </button>
      </fieldset>
      {view === "graph" && (
        <label className="check">
          <input
            type="checkbox"
            checked={isStacked}
            onChange={({ target }) => change({ stack: target.checked ? "1" : undefined })}
          />
          Stack versions
        </label>
      )}
      <span className="quiet push-right">
        {count === undefined ? "" : `${count.toLocaleString("en")} artefacts`}
      </span>
    </div>
  );
}

function useGraph(goal: string | undefined): {
  graph: GoalGraph | undefined;
  error: ApiError | undefined;
} {
  const [graph, setGraph] = useState<GoalGraph>();
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    if (goal === undefined) return;
    const changed = (next: GoalGraph) => {
      setGraph(next);
      setError(undefined);
    };
    return followGraph(goal, changed, (reason) => setError(asApiError(reason)));
  }, [goal]);
  return { graph, error };
}

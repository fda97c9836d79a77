// All about one artefact: content, diff, what its agent saw, how it was bid on and worked on, its
// log, its conversation with a model.
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { shortId } from "../../../../lib/words/short-id.ts";
import { Action } from "../../components/action.tsx";
import { ArtefactContent } from "../../components/artefact-content.tsx";
import { Overwritten } from "../../components/overwritten.tsx";
import { Problem } from "../../components/problem.tsx";
import { Line } from "../../components/text.tsx";
import { Ago } from "../../components/time.tsx";
import { getJson, post } from "../../data/api.ts";
import type { ArtefactDetail } from "../../data/contract.ts";
import type { GoalGraph } from "../../data/goal-graph.ts";
import { useQuery } from "../../data/query.ts";
import { lookOf } from "../../graph/look.ts";
import { makerOf } from "../../graph/matching.ts";
import { byteSize, money } from "../../text/words.ts";
import { ContextTab } from "./context-tab.tsx";
import { EventsTab } from "./events-tab.tsx";
import { OutputTab } from "./output-tab.tsx";
import { Relations } from "./relations.tsx";
import { TranscriptTab } from "./transcript-tab.tsx";
import { WhyTab } from "./why-tab.tsx";
import { WorkTab } from "./work-tab.tsx";

const CommitDiff = lazy(() =>
  import("../../components/commit-diff.tsx").then(({ CommitDiff: view }) => ({ default: view })),
);

type Props = {
  artefact: string;
  tab: string | undefined;
  graph: GoalGraph | undefined;
  change: (tab: string) => void;
  select: (artefact: string | undefined) => void;
};

export function Inspector({ artefact, tab, graph, change, select }: Props) {
  const { data, error, refresh } = useQuery(
    `artefact ${artefact}`,
    (signal) => getJson<ArtefactDetail>(`/v1/artefacts/${artefact}`, {}, signal),
    {
      changedBy: (event, known) => isAbout(event.artefact_id, event.claim_id, known),
      pauseMs: 150,
    },
  );
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  if (error !== undefined && data === undefined)
    return (
      <div className="inspector">
        <CloseButton close={() => select(undefined)} />
        <Problem error={error} retry={refresh} />
      </div>
    );
  const tabs = data === undefined ? [] : tabsOf(data);
  const current = tabs.find(({ id }) => id === tab) ?? tabs[0];
  const look = data && lookOf(data);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes it from anywhere inside.
    <div className="inspector" onKeyDown={(event) => event.key === "Escape" && select(undefined)}>
      <header className={look === undefined ? "" : `tone-${look.tone}`}>
        <CloseButton close={() => select(undefined)} />
        <h2 ref={heading} tabIndex={-1}>
          {data === undefined || look === undefined ? (
            <span className="quiet">{shortId(artefact)}</span>
          ) : (
            <>
              <span className="row-symbol" aria-hidden="true">
                {look.symbol}
              </span>
              <span className="hidden">{look.word}: </span>
              <Line text={data.type} max={80} /> <span className="version">v{data.version}</span>
            </>
          )}
        </h2>
        {data !== undefined && <Meta artefact={data} />}
      </header>
      {data !== undefined && current !== undefined && (
        <>
          {graph !== undefined && <Relations artefact={data} graph={graph} select={select} />}
          <Tabs tabs={tabs} current={current.id} change={change} />
          <div
            className="tab-panel"
            role="tabpanel"
            id="tab-panel"
            aria-labelledby={`tab-${current.id}`}
          >
            <Suspense fallback={<p className="quiet loading">Loading…</p>}>
              {panelOf(current.id, data, select)}
            </Suspense>
          </div>
        </>
      )}
    </div>
  );
}

function CloseButton({ close }: { close: () => void }) {
  return (
    <button type="button" className="close" onClick={close}>
      <span aria-hidden="true">✕ </span>Close
    </button>
  );
}

function Meta({ artefact }: { artefact: ArtefactDetail }) {
  const {
    id,
    produced_by_agent,
    produced_by_role,
    created_at,
    metadata,
    cost,
    payload_bytes,
    structural_type,
  } = artefact;
  const isRole = produced_by_agent === "" || produced_by_agent === produced_by_role;
  return (
    <>
      <Overwritten is={artefact.overwritten === true} />
      <p className="inspector-summary">
        <Line text={metadata.summary ?? ""} max={400} />
      </p>
      <dl className="facts">
        <div>
          <dt>by</dt>
          <dd>{isRole ? makerOf(artefact) : `${produced_by_agent} (${produced_by_role})`}</dd>
        </div>
        <div>
          <dt>when</dt>
          <dd>
            <Ago at={created_at} />
          </dd>
        </div>
        <div>
          <dt>id</dt>
          <dd>
            <code title={id}>{shortId(id)}</code>
          </dd>
        </div>
        {metadata.commit !== undefined && (
          <div>
            <dt>commit</dt>
            <dd>
              <code title={metadata.commit}>{metadata.commit.slice(0, 10)}</code>
            </dd>
          </div>
        )}
        <div>
          <dt>size</dt>
          <dd>{byteSize(payload_bytes)}</dd>
        </div>
        {cost !== undefined && cost.calls > 0 && (
          <div>
            <dt>cost</dt>
            <dd>
              {money(cost)}, {cost.tokens.toLocaleString("en")} tokens, {cost.calls} calls
            </dd>
          </div>
        )}
      </dl>
      {structural_type === "Failure" && (
        <Action right="control" act={() => post(`/v1/artefacts/${id}/retry`, {})}>
          Retry
        </Action>
      )}
    </>
  );
}

type Tab = { id: string; text: string };

function tabsOf(artefact: ArtefactDetail): Tab[] {
  const { metadata, cost, claims, logical_id, goal_id, made_by } = artefact;
  const isCommit = metadata.commit !== undefined && String(logical_id) !== String(goal_id);
  return [
    { id: "content", text: "Content" },
    ...(isCommit ? [{ id: "diff", text: "Diff" }] : []),
    { id: "work", text: claims.length === 0 ? "Work" : "Bids and work" },
    ...(made_by === null ? [] : [{ id: "output", text: "Output" }]),
    { id: "context", text: "Context" },
    { id: "why", text: "Why" },
    { id: "events", text: "Log" },
    ...(cost !== undefined && cost.calls > 0 ? [{ id: "transcript", text: "Conversation" }] : []),
  ];
}

function panelOf(
  tab: string,
  artefact: ArtefactDetail,
  select: (artefact: string) => void,
): ReactNode {
  switch (tab) {
    case "diff":
      return <CommitDiff artefact={artefact.id} version={artefact.version} />;
    case "work":
      return <WorkTab artefact={artefact} select={select} />;
    case "output":
      return <OutputTab artefact={artefact.id} />;
    case "context":
      return <ContextTab artefact={artefact} select={select} />;
    case "why":
      return <WhyTab artefact={artefact.id} />;
    case "events":
      return <EventsTab artefact={artefact} />;
    case "transcript":
      return <TranscriptTab artefact={artefact.id} />;
    default:
      return <ArtefactContent artefact={artefact} />;
  }
}

/** The arrow keys change the tab, as in the pattern of the ARIA guide. */
function Tabs({
  tabs,
  current,
  change,
}: {
  tabs: readonly Tab[];
  current: string;
  change: (tab: string) => void;
}) {
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const at = tabs.findIndex(({ id }) => id === current);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    change(next.id);
    event.currentTarget.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label="About this artefact" onKeyDown={onKeyDown}>
      {tabs.map(({ id, text }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${id}`}
          aria-selected={id === current}
          aria-controls={id === current ? "tab-panel" : undefined}
          tabIndex={id === current ? 0 : -1}
          onClick={() => change(id)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

function isAbout(
  artefact: string | undefined,
  claim: string | undefined,
  data: ArtefactDetail | undefined,
): boolean {
  if (data === undefined) return false;
  return artefact === data.id || data.claims.some(({ id }) => id === claim);
}

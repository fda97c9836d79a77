// All goals, the newest first, with what each waits for.
import { useState } from "react";
import { shortId } from "../../../../lib/words/short-id.ts";
import { Problem } from "../../components/problem.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { Line } from "../../components/text.tsx";
import { Ago } from "../../components/time.tsx";
import { getJson } from "../../data/api.ts";
import type { GoalState, GoalSummary, Page, SettEvent } from "../../data/contract.ts";
import { go, usePlace } from "../../data/place.ts";
import { useQuery } from "../../data/query.ts";
import { goalHref, hrefOf } from "../../routes.ts";
import { money } from "../../text/words.ts";

const states: GoalState[] = [
  "running",
  "waiting",
  "failed",
  "stalled",
  "achieved",
  "settled",
  "cancelled",
];
const step = 50;

/** The filter is in the address, which can be kept as a bookmark. */
export function GoalsView() {
  const { query } = usePlace();
  const [limit, setLimit] = useState(step);
  const { state = "", q = "", by = "" } = query;
  const change = (next: Record<string, string>) =>
    go(hrefOf("/goals", { ...query, ...next }), { replace: true });
  const { data, error, refresh } = useQuery(
    `goals ${state} ${limit}`,
    (signal) => getJson<Page<GoalSummary>>("/v1/goals", { state, limit }, signal),
    { changedBy: changesList, pauseMs: 500 },
  );
  const goals = (data?.items ?? []).filter((goal) => isLike(goal, q, by));
  const isFiltered = state !== "" || q !== "" || by !== "";
  return (
    <>
      <header className="view-head">
        <h1>Goals</h1>
        <search className="filters">
          <input
            type="search"
            aria-label="Search the goals"
            placeholder="Search"
            value={q}
            onChange={({ target }) => change({ q: target.value })}
          />
          <label className="field-inline">
            State
            <select value={state} onChange={({ target }) => change({ state: target.value })}>
              <option value="">all</option>
              {states.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <label className="field-inline">
            By
            <select value={by} onChange={({ target }) => change({ by: target.value })}>
              <option value="">all</option>
              {[...new Set([...(data?.items ?? []).map(statedBy), ...(by === "" ? [] : [by])])].map(
                (name) => (
                  <option key={name}>{name}</option>
                ),
              )}
            </select>
          </label>
          {isFiltered && (
            <a className="button small" href="#/goals">
              Clear
            </a>
          )}
        </search>
        <a className="button primary push-right" href="#/new">
          New goal
        </a>
      </header>
      {error !== undefined && <Problem error={error} retry={refresh} />}
      {data !== undefined && goals.length === 0 && (
        <NoGoals isFiltered={isFiltered} of={data.next === null ? undefined : data.items.length} />
      )}
      {goals.length > 0 && (
        <ul className="goal-list">
          {goals.map((goal) => (
            <GoalRow key={goal.id} goal={goal} />
          ))}
        </ul>
      )}
      {data?.next != null && (
        <button type="button" onClick={() => setLimit(limit + step)} disabled={limit >= 500}>
          Show more
        </button>
      )}
    </>
  );
}

function isLike(goal: GoalSummary, words: string, by: string): boolean {
  if (by !== "" && statedBy(goal) !== by) return false;
  const text = `${goal.id} ${goal.summary} ${statedBy(goal)}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function statedBy({ trigger }: GoalSummary): string {
  return trigger === null ? "people" : `trigger ${trigger}`;
}

function GoalRow({ goal }: { goal: GoalSummary }) {
  const {
    id,
    state,
    summary,
    created_at,
    artefacts,
    open_claims,
    waiting_for,
    failures,
    cost,
    trigger,
  } = goal;
  return (
    <li>
      <a className="goal-row" href={goalHref(id)}>
        <StateMark state={state} />
        <span className="goal-summary">
          <Line text={summary === "" ? "(no summary)" : summary} max={200} />
        </span>
        <span className="goal-facts">
          {trigger !== null && (
            <span>
              by trigger <Line text={trigger} max={60} />
            </span>
          )}
          <Fact number={artefacts} noun="artefact" />
          {open_claims > 0 && <Fact number={open_claims} noun="open claim" />}
          {waiting_for > 0 && <Fact number={waiting_for} noun="waited for" plural="waited for" />}
          {failures > 0 && <Fact number={failures} noun="failure" tone="failure" />}
          {cost !== null && cost.calls > 0 && <span>{money(cost)}</span>}
        </span>
        <span className="goal-when">
          <code>{shortId(id)}</code> <Ago at={created_at} />
        </span>
      </a>
    </li>
  );
}

function Fact({
  number,
  noun,
  plural = `${noun}s`,
  tone,
}: {
  number: number;
  noun: string;
  plural?: string;
  tone?: string;
}) {
  return (
    <span className={tone === undefined ? undefined : `tone-${tone} toned`}>
      {number.toLocaleString("en")} {number === 1 ? noun : plural}
    </span>
  );
}

/** `of`: how many of the goals, the newest, were looked at; undefined: all. */
function NoGoals({ isFiltered, of }: { isFiltered: boolean; of: number | undefined }) {
  const none =
    of === undefined ? "No goal is like this." : `None of the newest ${of} is like this.`;
  return (
    <div className="empty">
      <p>{isFiltered ? none : "No goal yet."}</p>
      {isFiltered ? <a href="#/goals">All goals</a> : <a href="#/new">State the first one</a>}
    </div>
  );
}

/** What a bid or a model's call changes, the list does not show. */
function changesList({ goal_id, type }: SettEvent): boolean {
  return goal_id !== undefined && !type.startsWith("bid") && type !== "model_called";
}

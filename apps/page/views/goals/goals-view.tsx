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
import { dollars, money } from "../../text/words.ts";
import { ages, matchesGoal, minCosts, statedBy } from "./goal-filter.ts";

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
  const { state = "", q = "", by = "", age = "", cost = "" } = query;
  const { data, error, refresh } = useQuery(
    `goals ${state} ${limit}`,
    (signal) => getJson<Page<GoalSummary>>("/v1/goals", { state, limit }, signal),
    { changedBy: changesList, pauseMs: 500 },
  );
  const nowMs = Date.now();
  const goals = (data?.items ?? []).filter((goal) =>
    matchesGoal(goal, { q, by, age, cost }, nowMs),
  );
  const isFiltered = [state, q, by, age, cost].some((one) => one !== "");
  return (
    <>
      <header className="view-head">
        <h1>Goals</h1>
        <Filters query={query} goals={data?.items ?? []} isFiltered={isFiltered} />
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

function Filters({
  query,
  goals,
  isFiltered,
}: {
  query: Record<string, string>;
  goals: readonly GoalSummary[];
  isFiltered: boolean;
}) {
  const change = (next: Record<string, string>) =>
    go(hrefOf("/goals", { ...query, ...next }), { replace: true });
  const { by = "" } = query;
  const names = [...new Set([...goals.map(statedBy), ...(by === "" ? [] : [by])])];
  const fields: [label: string, key: string, choices: [value: string, words: string][]][] = [
    ["State", "state", states.map((name) => [name, name])],
    ["By", "by", names.map((name) => [name, name])],
    ["Age", "age", Object.entries(ages).map(([name, { words }]) => [name, words])],
    ["Cost", "cost", minCosts.map((usd) => [usd, `${dollars(Number(usd))} or more`])],
  ];
  return (
    <search className="filters">
      <input
        type="search"
        aria-label="Search the goals"
        placeholder="Search"
        value={query.q ?? ""}
        onChange={({ target }) => change({ q: target.value })}
      />
      {fields.map(([label, key, values]) => (
        <label className="field-inline" key={key}>
          {label}
          <select
            value={query[key] ?? ""}
            onChange={({ target }) => change({ [key]: target.value })}
          >
            <option value="">all</option>
            {values.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      ))}
      {isFiltered && (
        <a className="button small" href="#/goals">
          Clear
        </a>
      )}
    </search>
  );
}

function GoalRow({ goal }: { goal: GoalSummary }) {
  const {
    id,
    state,
    summary,
    created_at,
    artefacts,
    open_claims,
    attempt,
    waiting_for,
    failures,
    cost,
    trigger,
    person,
    reverts,
  } = goal;
  return (
    <li>
      <a className="goal-row" href={goalHref(id)}>
        <StateMark state={state} />
        <span className="goal-summary">
          <Line text={summary === "" ? "(no summary)" : summary} max={200} />
        </span>
        <span className="goal-facts">
          <span>
            by <Line text={statedBy({ trigger, person })} max={60} />
          </span>
          <Fact number={artefacts} noun="artefact" />
          {open_claims > 0 && <Fact number={open_claims} noun="open claim" />}
          {attempt > 1 && <span className="tone-feedback toned">↻ attempt {attempt}</span>}
          {waiting_for > 0 && <Fact number={waiting_for} noun="waited for" plural="waited for" />}
          {failures > 0 && <Fact number={failures} noun="failure" tone="failure" />}
          {reverts.length > 0 && <span className="tone-feedback toned">↶ reverted</span>}
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
  return (
    goal_id !== undefined &&
    !type.startsWith("bid") &&
    type !== "model_called" &&
    type !== "tool_called"
  );
}

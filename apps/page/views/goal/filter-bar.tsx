// Chooses how the artefacts of a goal are shown, and which of them: the filter is in the address.
import { useMemo } from "react";
import type { GoalGraph } from "../../data/goal-graph.ts";
import { makerOf, matchingNodes, type NodeFilter, nodeStates } from "../../graph/matching.ts";
import { count } from "../../text/words.ts";

export const goalViews = ["graph", "timeline", "list"] as const;
export type GoalShape = (typeof goalViews)[number];

type Query = Record<string, string>;
type Change = (next: Record<string, string | undefined>) => void;

export function filterOf({ q = "", agent = "", type = "", state = "" }: Query): NodeFilter {
  return { words: q, agent, type, state };
}

/** The artefacts that the address asks for; undefined: all. */
export function useMatches(
  graph: GoalGraph | undefined,
  query: Query,
): ReadonlySet<string> | undefined {
  const { words, agent, type, state } = filterOf(query);
  return useMemo(
    () => graph && matchingNodes(graph.nodes, { words, agent, type, state }),
    [graph, words, agent, type, state],
  );
}

type Props = {
  shape: GoalShape;
  query: Query;
  graph: GoalGraph | undefined;
  matches: ReadonlySet<string> | undefined;
  change: Change;
  /** Shows what is at work now; undefined where nothing is. */
  jump: (() => void) | undefined;
};

export function FilterBar({ shape, query, graph, matches, change, jump }: Props) {
  const filter = filterOf(query);
  const { agents, types } = useMemo(() => wordsOf(graph), [graph]);
  const isFolded = query.stack === "1";
  const total = graph?.nodes.length;
  return (
    <search className="bar goal-bar">
      <fieldset className="segmented" aria-label="Show the artefacts as">
        {goalViews.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={shape === name}
            onClick={() => change({ view: name })}
          >
            {name[0]?.toUpperCase()}
            {name.slice(1)}
          </button>
        ))}
      </fieldset>
      <input
        type="search"
        aria-label="Search the artefacts"
        placeholder="Search"
        value={filter.words}
        onChange={({ target }) => change({ q: target.value })}
      />
      <Choice name="agent" all="all agents" value={filter.agent} of={agents} change={change} />
      <Choice name="type" all="all types" value={filter.type} of={types} change={change} />
      <Choice name="state" all="all states" value={filter.state} of={nodeStates} change={change} />
      {shape !== "timeline" && (
        <label className="check">
          <input
            type="checkbox"
            checked={isFolded}
            onChange={({ target }) => change({ stack: target.checked ? "1" : undefined })}
          />
          Fold versions
        </label>
      )}
      {jump !== undefined && (
        <button type="button" className="small" onClick={jump}>
          To what runs
        </button>
      )}
      <span className="quiet push-right" role="status">
        {total === undefined
          ? ""
          : matches === undefined
            ? count(total, "artefact")
            : `${matches.size.toLocaleString("en")} of ${count(total, "artefact")}`}
      </span>
    </search>
  );
}

type ChoiceProps = {
  name: "agent" | "type" | "state";
  all: string;
  value: string;
  of: readonly string[];
  change: Change;
};

function Choice({ name, all, value, of, change }: ChoiceProps) {
  return (
    <select
      aria-label={`Only this ${name}`}
      value={value}
      onChange={({ target }) => change({ [name]: target.value })}
    >
      <option value="">{all}</option>
      {of.map((each) => (
        <option key={each}>{each}</option>
      ))}
      {value !== "" && !of.includes(value) && <option>{value}</option>}
    </select>
  );
}

function wordsOf(graph: GoalGraph | undefined): { agents: string[]; types: string[] } {
  const agents = new Set<string>();
  const types = new Set<string>();
  for (const node of graph?.nodes ?? []) {
    agents.add(makerOf(node));
    types.add(node.type);
    for (const { grants } of node.claims) for (const { agent } of grants) agents.add(agent);
  }
  return { agents: [...agents].sort(), types: [...types].sort() };
}

// The filters of the log: what is chosen is in the address.
import { useState } from "react";
import { shortId } from "../../../../lib/words/short-id.ts";
import { getJson } from "../../data/api.ts";
import type { AgentView, GoalSummary, Page } from "../../data/contract.ts";
import { useInstance } from "../../data/instance.ts";
import { go } from "../../data/place.ts";
import { useQuery } from "../../data/query.ts";
import { hrefOf } from "../../routes.ts";
import { visibleLine } from "../../text/visible-text.ts";
import type { EventFilter } from "./use-events.ts";

/** Groups of types that people look for; the address has the types themselves. */
const groups: readonly { name: string; types: string }[] = [
  { name: "artefacts", types: "artefact_created,artefact_refused,artefact_erased" },
  { name: "claims", types: "claim_opened,claim_announced,claim_completed,claim_terminated" },
  { name: "bids", types: "bids_placed,bid_placed,bid_imposed,bidding_closed" },
  {
    name: "work",
    types:
      "grant_queued,grant_started,grant_done,grant_failed,grant_retrying,grant_waiting,grant_cancelled",
  },
  {
    name: "failures",
    types:
      "grant_failed,claim_terminated,result_refused,mail_refused,event_given_up,artefact_refused",
  },
  {
    name: "people",
    types:
      "question_asked,question_closed,cancel_requested,pause_requested,resume_requested,retry_requested,api_called",
  },
  { name: "model calls", types: "model_called,tool_called,tool_changed,budget_raised" },
  {
    name: "instance",
    types:
      "instance_started,instance_stopped,instance_paused,instance_resumed,orchestrator_started,agent_registered",
  },
];

export function filterOf({ goal, type, agent, actor }: Record<string, string>): EventFilter {
  return {
    ...(goal && { goal }),
    ...(type && { type }),
    ...(agent && { agent }),
    ...(actor && { actor }),
  };
}

export function Filters({ query }: { query: Record<string, string> }) {
  const change = (next: Record<string, string>) =>
    go(hrefOf("/log", { ...query, ...next }), { replace: true });
  const { goals, agents, actors } = useSuggestions();
  const isKnown = groups.some(({ types }) => types === query.type);
  return (
    <search className="filters">
      <label>
        Types
        <select value={query.type ?? ""} onChange={({ target }) => change({ type: target.value })}>
          <option value="">all</option>
          {groups.map(({ name, types }) => (
            <option key={name} value={types}>
              {name}
            </option>
          ))}
          {query.type !== undefined && query.type !== "" && !isKnown && (
            <option value={query.type}>{query.type}</option>
          )}
        </select>
      </label>
      <Field name="goal" label="Goal" value={query.goal ?? ""} of={goals} change={change} />
      <Field name="agent" label="Agent" value={query.agent ?? ""} of={agents} change={change} />
      <Field name="actor" label="Actor" value={query.actor ?? ""} of={actors} change={change} />
      {Object.keys(filterOf(query)).length > 0 && (
        <a className="button small" href="#/log">
          Clear
        </a>
      )}
    </search>
  );
}

type FieldProps = {
  name: string;
  label: string;
  value: string;
  /** Suggested; what is said beside it is shown only. */
  of: readonly Suggestion[];
  change: (next: Record<string, string>) => void;
};

type Suggestion = { value: string; says?: string };

/** The newest goals, the agents, and who has acted. */
function useSuggestions(): Record<"goals" | "agents" | "actors", Suggestion[]> {
  const { data } = useQuery("suggestions", async (signal) => {
    const [goals, agents] = await Promise.all([
      getJson<Page<GoalSummary>>("/v1/goals", { limit: 50 }, signal),
      getJson<Page<AgentView>>("/v1/agents", {}, signal),
    ]);
    return { goals: goals.items, agents: agents.items };
  });
  const me = useInstance().data?.me.actor;
  const agents = (data?.agents ?? []).map(({ name }) => ({ value: name }));
  return {
    goals: (data?.goals ?? []).map(({ id, summary }) => ({
      value: shortId(id),
      says: visibleLine(summary, 80),
    })),
    agents,
    actors: [
      ...(me === undefined ? [] : [{ value: me }]),
      { value: "orchestrator" },
      ...agents.map(({ value }) => ({ value: `agent:${value}` })),
    ],
  };
}

/** Applied with Enter, and when the reader leaves the field. */
function Field({ name, label, value, of, change }: FieldProps) {
  const [text, setText] = useState(value);
  const [from, setFrom] = useState(value);
  if (from !== value) {
    setFrom(value);
    setText(value);
  }
  const apply = () => {
    if (text.trim() !== value) change({ [name]: text.trim() });
  };
  return (
    <label>
      {label}
      <input
        value={text}
        spellCheck={false}
        autoComplete="off"
        list={`suggested-${name}`}
        onChange={({ target }) => setText(target.value)}
        onBlur={apply}
        onKeyDown={({ key }) => key === "Enter" && apply()}
      />
      <datalist id={`suggested-${name}`}>
        {of.map(({ value: each, says }) => (
          <option key={each} value={each} label={says} />
        ))}
      </datalist>
    </label>
  );
}

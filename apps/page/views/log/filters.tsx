// The filters of the log: what is chosen is in the address.
import { useState } from "react";
import { go } from "../../data/place.ts";
import { hrefOf } from "../../routes.ts";
import type { EventFilter } from "./use-events.ts";

/** Groups of types that people look for; the address has the types themselves. */
const groups: readonly { name: string; types: string }[] = [
  { name: "artefacts", types: "artefact_created,artefact_refused" },
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
  { name: "model calls", types: "model_called,budget_raised" },
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
      <Field name="goal" label="Goal" value={query.goal ?? ""} change={change} />
      <Field name="agent" label="Agent" value={query.agent ?? ""} change={change} />
      <Field name="actor" label="Actor" value={query.actor ?? ""} change={change} />
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
  change: (next: Record<string, string>) => void;
};

/** Applied with Enter, and when the reader leaves the field. */
function Field({ name, label, value, change }: FieldProps) {
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
        onChange={({ target }) => setText(target.value)}
        onBlur={apply}
        onKeyDown={({ key }) => key === "Enter" && apply()}
      />
    </label>
  );
}

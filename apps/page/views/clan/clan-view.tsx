// The agents: what each does, its queue and workers, its heartbeat, how often it fails and why; and
// the live log of one of them.

import { duration } from "../../../../lib/words/age.ts";
import { shortId } from "../../../../lib/words/short-id.ts";
import { LiveLog } from "../../components/live-log.tsx";
import { Problem } from "../../components/problem.tsx";
import { Mark } from "../../components/state-mark.tsx";
import { Line } from "../../components/text.tsx";
import { Ago, Elapsed } from "../../components/time.tsx";
import { getJson } from "../../data/api.ts";
import type { AgentView, LaneView, Page, SettEvent } from "../../data/contract.ts";
import { useInstance } from "../../data/instance.ts";
import { go, usePlace } from "../../data/place.ts";
import { useQuery } from "../../data/query.ts";
import { goalHref, hrefOf } from "../../routes.ts";
import { count, dollars } from "../../text/words.ts";

/** A gateway only where one has run. */
const servicesOf = (hasGateway: boolean) => [
  "orchestrator",
  ...(hasGateway ? ["gateway"] : []),
  "redis",
];

export function ClanView() {
  const { query } = usePlace();
  const services = servicesOf(useInstance().data?.gateway ?? false);
  const { data, error, refresh } = useQuery(
    "agents",
    (signal) => getJson<Page<AgentView>>("/v1/agents", {}, signal),
    {
      changedBy: changesClan,
      pauseMs: 1_000,
      // Heartbeats, and with them what an agent does, make no event.
      everyMs: 3_000,
    },
  );
  const shown = query.logs;
  const show = (name: string | undefined) => go(hrefOf("/clan", { logs: name }), { replace: true });
  if (error !== undefined && data === undefined) return <Problem error={error} retry={refresh} />;
  if (data === undefined) return <p className="quiet loading">Loading…</p>;
  return (
    <>
      <header className="view-head">
        <h1>Clan</h1>
        <span className="quiet">{count(data.items.length, "agent")}</span>
        <fieldset className="push-right service-logs" aria-label="Logs of the services">
          <span className="quiet">Logs of</span>
          {services.map((name) => (
            <button
              key={name}
              type="button"
              className="small"
              aria-pressed={shown === name}
              onClick={() => show(shown === name ? undefined : name)}
            >
              {name}
            </button>
          ))}
        </fieldset>
      </header>
      <div className="clan" data-logs={shown !== undefined}>
        <ul className="agent-list">
          {data.items.map((agent) => (
            <Agent key={agent.name} agent={agent} isShown={shown === agent.name} show={show} />
          ))}
          {data.items.length === 0 && <li className="quiet">No agent is registered.</li>}
        </ul>
        {shown !== undefined && (
          <LiveLog
            key={shown}
            name={shown}
            title={shown}
            none="No line yet."
            close={() => show(undefined)}
          />
        )}
      </div>
    </>
  );
}

function Agent({
  agent,
  isShown,
  show,
}: {
  agent: AgentView;
  isShown: boolean;
  show: (name: string | undefined) => void;
}) {
  const { name, role, kind, works_on, workers, lane, queued, last_heartbeat, rates, bids } = agent;
  const reasons = Object.entries(rates.failures_by_reason).sort(
    ([, one], [, other]) => other - one,
  );
  const total = rates.done + rates.failed;
  return (
    <li className="agent">
      <div className="agent-head">
        <h2>{name}</h2>
        {role !== name && <span className="quiet">role {role}</span>}
        <AgentState agent={agent} />
        {kind === "container" && (
          <button
            type="button"
            className="small push-right"
            aria-pressed={isShown}
            onClick={() => show(isShown ? undefined : name)}
          >
            Log
          </button>
        )}
      </div>
      {works_on.length > 0 && (
        <ul className="works-on">
          {works_on.map((work) => (
            <li key={work.claim_id} className="tone-work toned-edge">
              {work.phase} in{" "}
              <a href={goalHref(work.goal_id, work.artefact)}>
                goal <code>{shortId(work.goal_id)}</code>
              </a>
              , <Elapsed since={work.since} />
              {kind === "container" && (
                <>
                  {" · "}
                  <a href={outputHref(work, name)}>see what it prints</a>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {lane !== null && <Lane lane={lane} />}
      <dl className="facts">
        <div>
          <dt>queue</dt>
          <dd>{queued === 0 ? "empty" : count(queued, kind === "person" ? "verdict" : "grant")}</dd>
        </div>
        {workers !== null && (
          <div>
            <dt>workers</dt>
            <dd>
              <meter
                min={0}
                max={Math.max(1, workers.of)}
                value={workers.at_work}
                aria-label={`Workers of ${name}`}
              />{" "}
              {workers.at_work} of {workers.of}
            </dd>
          </div>
        )}
        {kind === "container" && (
          <div>
            <dt>heartbeat</dt>
            <dd>{last_heartbeat === null ? "never" : <Ago at={last_heartbeat} />}</dd>
          </div>
        )}
      </dl>
      {rates.median_ms !== null && (
        <p className="rate-text">
          takes{" "}
          {rates.median_ms < 1_000 ? (
            "less than 1 s"
          ) : (
            <span className="elapsed">{duration(rates.median_ms)}</span>
          )}{" "}
          in the median
        </p>
      )}
      {rates.calls_30_days > 0 && (
        <p className="rate-text">
          {dollars(rates.usd_30_days)} for {count(rates.calls_30_days, "call")} of models in{" "}
          {isWithin30Days(rates.since) ? <Elapsed since={rates.since} /> : "30 days"}
        </p>
      )}
      <Rate done={rates.done} failed={rates.failed} name={name} />
      {total > 0 && reasons.length > 0 && (
        <ul className="reasons">
          {reasons.map(([reason, number]) => (
            <li key={reason}>
              <span className="tone-failure toned" aria-hidden="true">
                ✕{" "}
              </span>
              {reason} <span className="quiet">{number}</span>
            </li>
          ))}
        </ul>
      )}
      {bids.length > 0 && (
        <details>
          <summary>{count(bids.length, "bid rule")}</summary>
          <ul className="rules">
            {bids.map(({ on, from, bid }) => (
              <li key={`${on} ${from} ${bid}`}>
                <code>{bid}</code> on <code>{on}</code>
                {from !== undefined && (
                  <>
                    {" from "}
                    <code>{from}</code>
                  </>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

/** What is merged now is among that on which the agent works. */
function Lane({ lane: { name, tip, next, blocked } }: { lane: LaneView }) {
  return (
    <section className="lane-state" aria-label={`Lane ${name}`}>
      <p>
        lane <code>{name}</code>
        {tip === null ? ", not begun" : " at "}
        {tip !== null && <code title={tip}>{tip.slice(0, 12)}</code>}
      </p>
      {next.length > 0 && (
        <ol>
          {next.slice(0, maxGoals).map((goal) => (
            <li key={goal.claim_id}>
              next: <LaneGoal goal={goal} />, since <Elapsed since={goal.since} />
            </li>
          ))}
        </ol>
      )}
      {blocked.length > 0 && (
        <ul className="works-on">
          {blocked.slice(0, maxGoals).map((goal) => (
            <li key={goal.claim_id} className="tone-feedback toned-edge">
              <span aria-hidden="true">↩ </span>
              <LaneGoal goal={goal} /> {stopOf(goal)}, <Ago at={goal.since} />:{" "}
              <Line text={goal.reason} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function stopOf({ waits_for, agent }: LaneView["blocked"][number]): string {
  switch (waits_for) {
    case "rework":
      return `sent back to ${agent}`;
    case "retry":
      return "failed, and is retried";
    case "resume":
      return "paused";
    default:
      return waits_for satisfies never;
  }
}

/** The queue says how many wait. */
const maxGoals = 10;

function LaneGoal({ goal: { goal_id, artefact_id } }: { goal: LaneView["next"][number] }) {
  return (
    <a href={goalHref(goal_id, artefact_id)}>
      goal <code>{shortId(goal_id)}</code>
    </a>
  );
}

/** The API counts the newest part of a longer log. */
function isWithin30Days(since: string | null): since is string {
  return since !== null && Date.now() - Date.parse(since) < 30 * 86_400_000;
}

function outputHref({ goal_id, claim_id }: AgentView["works_on"][number], agent: string): string {
  return hrefOf(`/goals/${encodeURIComponent(goal_id)}`, { o: `${claim_id} ${agent}` });
}

const marks: Record<string, { symbol: string; tone: string }> = {
  idle: { symbol: "○", tone: "wait" },
  working: { symbol: "▶", tone: "work" },
  starting: { symbol: "⋯", tone: "feedback" },
  stopping: { symbol: "⋯", tone: "feedback" },
  no_secrets: { symbol: "✕", tone: "failure" },
  unconfined: { symbol: "✕", tone: "failure" },
  unreadable: { symbol: "✕", tone: "failure" },
  silent: { symbol: "✕", tone: "failure" },
  person: { symbol: "☺", tone: "question" },
  external: { symbol: "↔", tone: "answer" },
  on_demand: { symbol: "○", tone: "wait" },
};

function AgentState({ agent: { kind, state, is_silent } }: { agent: AgentView }) {
  const word = kind !== "container" ? kind : is_silent && state !== "unreadable" ? "silent" : state;
  const mark = marks[word] ?? { symbol: "·", tone: "wait" };
  return <Mark {...mark} word={word.replaceAll("_", " ")} />;
}

function Rate({ done, failed, name }: { done: number; failed: number; name: string }) {
  const total = done + failed;
  if (total === 0) return <p className="quiet rate-text">Has done nothing yet.</p>;
  return (
    <div className="rate">
      <div className="rate-bar" role="img" aria-label={`${name}: ${done} done, ${failed} failed`}>
        {done > 0 && <span className="rate-done" style={{ flexGrow: done }} />}
        {failed > 0 && <span className="rate-failed" style={{ flexGrow: failed }} />}
      </div>
      <p className="rate-text">
        {done.toLocaleString("en")} done
        {failed > 0 &&
          `, ${failed.toLocaleString("en")} failed (${Math.round((100 * failed) / total)} %)`}
      </p>
    </div>
  );
}

function changesClan({ type }: SettEvent): boolean {
  return type.startsWith("grant_") || type.startsWith("agent_");
}

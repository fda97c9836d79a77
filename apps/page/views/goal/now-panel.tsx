// Shows what happens in a goal now: what runs and since when, what waits and for whom, and what
// failed.

import { shortId } from "../../../../lib/words/short-id.ts";
import { Action } from "../../components/action.tsx";
import { Line } from "../../components/text.tsx";
import { Ago, Elapsed } from "../../components/time.tsx";
import { WaitingText } from "../../components/waiting-text.tsx";
import { post } from "../../data/api.ts";
import type { FailureView, GoalDetail, WaitingView } from "../../data/contract.ts";
import type { GoalGraph } from "../../data/goal-graph.ts";
import { pendingLook } from "../../graph/look.ts";
import type { Pending } from "../../graph/pending.ts";
import { hrefOf } from "../../routes.ts";

type Props = {
  goal: GoalDetail;
  pending: readonly Pending[];
  graph: GoalGraph | undefined;
  select: (artefact: string) => void;
  openGrant: (grant: Pending) => void;
};

export function NowPanel({ goal, pending, graph, select, openGrant }: Props) {
  const running = pending.filter(({ what }) => what === "works");
  // Work that runs is said above; its command does not run yet.
  const waiting = goal.waiting_for.filter(
    ({ kind, why }) => kind !== "work" || why?.reason === "preparing",
  );
  const nameOf = (id: string) => {
    const node = graph?.byId.get(id);
    return node === undefined ? shortId(id) : `${node.type} v${node.version}`;
  };
  return (
    <div className="now">
      <Section title="Runs now" count={running.length} none="No agent works on this goal.">
        {running.map((one) => (
          <li key={one.id} className="tone-work toned-edge">
            <button type="button" className="row-button" onClick={() => openGrant(one)}>
              <span className="now-who">
                <span aria-hidden="true">{pendingLook(one).symbol} </span>
                {one.agent}
              </span>
              <span className="now-what">
                {one.phase} on <Line text={nameOf(one.target)} max={60} />
                {one.attempt > 1 && `, attempt ${one.attempt}`}
              </span>
              <Elapsed since={one.since} />
              <span className="now-open">See what it prints</span>
            </button>
          </li>
        ))}
      </Section>
      <Section title="Waits for" count={waiting.length} none="Nothing is waited for.">
        {waiting.slice(0, maxRows).map((one) => (
          <Waiting key={`${one.kind} ${keyOf(one)}`} waiting={one} />
        ))}
        {waiting.length > maxRows && <li className="quiet">and {waiting.length - maxRows} more</li>}
      </Section>
      {goal.failures.length > 0 && (
        <Section title="Failed" count={goal.failures.length} none="">
          {goal.failures.slice(0, maxRows).map((failure) => (
            <Failure key={failure.id} failure={failure} select={select} />
          ))}
        </Section>
      )}
      <section>
        <h2>Goal</h2>
        <p className="goal-text">
          <Line text={goal.text} max={1_200} />
        </p>
        <button type="button" className="small" onClick={() => select(goal.id)}>
          Open it
        </button>
      </section>
    </div>
  );
}

const maxRows = 40;

function Section({
  title,
  count,
  none,
  children,
}: {
  title: string;
  count: number;
  none: string;
  children: React.ReactNode;
}) {
  return (
    <section>
      <h2>
        {title} {count > 0 && <span className="count">{count}</span>}
      </h2>
      {count === 0 ? <p className="quiet">{none}</p> : <ul className="now-list">{children}</ul>}
    </section>
  );
}

function keyOf(waiting: WaitingView): string {
  const { claim, question, artefact, agent } = waiting as Record<string, unknown>;
  return [claim, question, artefact, agent].join(" ");
}

function Waiting({ waiting }: { waiting: WaitingView }) {
  const isForPeople = waiting.kind === "answer" || waiting.kind === "approval";
  const inquiry =
    waiting.kind === "answer"
      ? waiting.question
      : waiting.kind === "approval"
        ? waiting.artefact
        : undefined;
  return (
    <li className={isForPeople ? "tone-question toned-edge" : "toned-edge"}>
      <span className="now-row">
        <span className="now-what">
          <WaitingText waiting={waiting} />
        </span>
      </span>
      {inquiry !== undefined && (
        <a className="button small" href={hrefOf("/inbox", { i: inquiry })}>
          Open in the inbox
        </a>
      )}
    </li>
  );
}

function Failure({
  failure,
  select,
}: {
  failure: FailureView;
  select: (artefact: string) => void;
}) {
  return (
    <li className="tone-failure toned-edge">
      <button type="button" className="row-button" onClick={() => select(failure.id)}>
        <span className="now-who">
          <span aria-hidden="true">✕ </span>
          <Line text={failure.type} max={60} />
        </span>
        <span className="now-what">
          <Line text={`${failure.by ?? "orchestrator"}: ${failure.reason}`} max={240} />
        </span>
        <Ago at={failure.created_at} />
      </button>
      <Action
        right="control"
        className="small"
        act={() => post(`/v1/artefacts/${failure.id}/retry`, {})}
      >
        Retry
      </Action>
    </li>
  );
}

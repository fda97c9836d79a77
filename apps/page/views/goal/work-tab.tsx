// Shows what was decided about an artefact, and done: each claim with its bids and reasons, its
// phases, and its grants.

import { answersIn } from "../../../../lib/core/answers-in.ts";
import { clockTime, duration } from "../../../../lib/words/age.ts";
import { shortId } from "../../../../lib/words/short-id.ts";
import { Action } from "../../components/action.tsx";
import { Line } from "../../components/text.tsx";
import { Elapsed } from "../../components/time.tsx";
import { WaitingText } from "../../components/waiting-text.tsx";
import { post } from "../../data/api.ts";
import type { ArtefactDetail, ClaimView, Grant } from "../../data/contract.ts";
import { grantLook } from "../../graph/look.ts";

type Select = (artefact: string) => void;

export function WorkTab({ artefact, select }: { artefact: ArtefactDetail; select: Select }) {
  const { claims, made_by } = artefact;
  const isReworked = claims.some(({ kind }) => kind === "rework");
  return (
    <div className="work">
      {made_by?.grant != null && (
        <section>
          <h3>How it was made</h3>
          <p className="quiet">
            claim <code>{shortId(made_by.claim_id)}</code>
          </p>
          <ul className="grants">
            <GrantRow grant={made_by.grant} select={select} />
          </ul>
        </section>
      )}
      {claims.length === 0 && (
        <p className="quiet">No claim is about this artefact: no agent is asked to work on it.</p>
      )}
      {claims.map((claim) => (
        <ClaimSection key={claim.id} claim={claim} isReworked={isReworked} select={select} />
      ))}
    </div>
  );
}

const outcomes: Record<ClaimView["status"], { symbol: string; tone: string; word: string }> = {
  pending_review: { symbol: "▶", tone: "work", word: "in review" },
  pending_parallel: { symbol: "▶", tone: "work", word: "in parallel work" },
  pending_exclusive: { symbol: "▶", tone: "work", word: "in exclusive work" },
  complete: { symbol: "✓", tone: "approval", word: "complete" },
  terminated: { symbol: "✕", tone: "failure", word: "terminated" },
};

/** A claim that ended with feedback has led to a rework: that is no failure. */
function outcomeOf({ bidding, status, kind }: ClaimView, isReworked: boolean) {
  if (status === "terminated" && isReworked && kind !== "rework")
    return { symbol: "↺", tone: "feedback", word: "sent back" };
  return bidding === "open" ? { symbol: "⋯", tone: "wait", word: "agents bid" } : outcomes[status];
}

function ClaimSection({
  claim,
  isReworked,
  select,
}: {
  claim: ClaimView;
  isReworked: boolean;
  select: Select;
}) {
  const outcome = outcomeOf(claim, isReworked);
  const words = new Map(claim.bids.map((bid) => [bid.agent, bid]));
  const silent = claim.electorate.filter((agent) => !words.has(agent));
  // What is to be tried again by itself is no end: lib/model/claim.ts.
  const isFailed =
    claim.status === "terminated" &&
    claim.grants.some((grant) => grant.state === "failed" && grant.retry_at === undefined);
  return (
    <section className="claim">
      <h3>
        <span className={`state tone-${outcome.tone}`}>
          <span aria-hidden="true" className="state-symbol">
            {outcome.symbol}
          </span>
          {outcome.word}
        </span>
        {claim.kind} claim <code>{shortId(claim.id)}</code>
      </h3>
      {claim.termination_reason !== "" && (
        <p>
          <Line text={claim.termination_reason} max={600} />
        </p>
      )}
      {isFailed && (
        <Action right="control" act={() => post(`/v1/claims/${claim.id}/retry`, {})}>
          Retry
        </Action>
      )}
      {claim.stand_in !== undefined && (
        <p className="quiet">
          In place of {claim.stand_in.for}: <Line text={claim.stand_in.because} />
        </p>
      )}
      <h4>Bids</h4>
      <table className="bids">
        <thead>
          <tr>
            <th scope="col">agent</th>
            <th scope="col">bid</th>
            <th scope="col">reason</th>
          </tr>
        </thead>
        <tbody>
          {claim.bids.map(({ agent, word, reason }) => (
            <tr key={agent} className={word === "ignore" ? "quiet" : ""}>
              <td>{agent}</td>
              <td>{word}</td>
              <td>{reason === undefined ? "" : <Line text={reason} max={600} />}</td>
            </tr>
          ))}
          {silent.map((agent) => (
            <tr key={agent} className="quiet">
              <td>{agent}</td>
              <td>{claim.bidding === "open" ? "⋯ not yet" : "none"}</td>
              <td />
            </tr>
          ))}
        </tbody>
      </table>
      {claim.grants.length > 0 && <h4>Grants</h4>}
      <ul className="grants">
        {claim.grants.map((grant) => (
          <GrantRow key={`${grant.phase} ${grant.agent}`} grant={grant} select={select} />
        ))}
      </ul>
      {claim.waiting_for.length > 0 && (
        <ul className="quiet">
          {claim.waiting_for.map((waiting, at) => (
            <li key={at}>
              Waits for <WaitingText waiting={waiting} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function GrantRow({ grant, select }: { grant: Grant; select: Select }) {
  const { symbol, tone, word } = grantLook(grant);
  return (
    <li className="grant">
      <span className={`state tone-${tone}`}>
        <span aria-hidden="true" className="state-symbol">
          {symbol}
        </span>
        {word}
      </span>
      <span className="grant-who">{grant.agent}</span>
      <span className="quiet">
        {grant.phase}
        {grant.attempt > 1 && `, attempt ${grant.attempt}`}
      </span>
      <GrantTime grant={grant} />
      {answersIn(grant).map((id) => (
        <button key={id} type="button" className="chip" onClick={() => select(id)}>
          <code>{shortId(id)}</code>
        </button>
      ))}
      {"reason" in grant && (
        <span className="grant-reason">
          <Line text={grant.reason} max={600} />
        </span>
      )}
    </li>
  );
}

function GrantTime({ grant }: { grant: Grant }) {
  if (grant.state === "running" || grant.state === "waiting")
    return <Elapsed since={grant.started_at} />;
  if (grant.state === "done" || grant.state === "failed")
    return (
      <span
        className="elapsed"
        title={`${clockTime(grant.started_at)} to ${clockTime(grant.ended_at)}`}
      >
        {duration(Date.parse(grant.ended_at) - Date.parse(grant.started_at))}
      </span>
    );
  return <Elapsed since={grant.queued_at} />;
}

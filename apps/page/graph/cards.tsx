// The cards of the graph: an artefact, and a grant whose result is not there yet.
import type { Node, NodeProps } from "@xyflow/react";
import { memo } from "react";
import { clockTime } from "../../../lib/words/age.ts";
import { Line } from "../components/text.tsx";
import { Elapsed } from "../components/time.tsx";
import type { Grant } from "../data/contract.ts";
import type { ArtefactNode } from "../data/goal-graph.ts";
import { money } from "../text/words.ts";
import type { Item } from "./geometry.ts";
import { lookOf, pendingLook } from "./look.ts";
import { makerOf } from "./matching.ts";
import { isBidding, isOpen } from "./pending.ts";

type CardNode = Node<{ item: Item; isFaint: boolean; isActive: boolean; isSelected: boolean }>;

export const ArtefactCard = memo(function ArtefactCard({ data }: NodeProps<CardNode>) {
  const { item, isFaint, isActive, isSelected } = data;
  if (!("node" in item)) return null;
  const { node } = item;
  const look = lookOf(node);
  return (
    <div
      className={`card tone-${look.tone}`}
      data-active={isActive}
      data-faint={isFaint}
      data-selected={isSelected}
      data-id={node.id}
    >
      <div className="card-head">
        <span className="card-symbol" title={look.word}>
          {look.symbol}
        </span>
        <Line className="card-type" text={node.type} max={50} />
        {node.version > 1 && <span className="version">v{node.version}</span>}
      </div>
      <div className="card-summary">
        <Line text={node.metadata.summary ?? ""} max={90} />
      </div>
      <div className="card-foot">
        <span className="card-by">{makerOf(node)}</span>
        <span>{clockTime(node.created_at)}</span>
        <Work node={node} />
        {node.cost !== undefined && node.cost.calls > 0 && <span>{money(node.cost)}</span>}
      </div>
    </div>
  );
});

/** Shows what the claims on an artefact have come to, in symbols. */
function Work({ node }: { node: ArtefactNode }) {
  if (isBidding(node)) return <span title="Agents bid on it">⋯ bids</span>;
  const isReworked = node.claims.some(({ kind }) => kind === "rework");
  const isTerminated = node.claims.some(({ status }) => status === "terminated");
  const grants: Grant[] = node.claims.filter(isOpen).flatMap((claim) => claim.grants);
  const done = grants.filter(({ state }) => state === "done").length;
  if (grants.length > 0)
    return (
      <span title="Grants of the open claim that are done">
        {done}/{grants.length} done
      </span>
    );
  if (isReworked)
    return (
      <span className="tone-feedback toned" title="Its feedback has led to another version">
        ↺ reworked
      </span>
    );
  return isTerminated ? (
    <span className="tone-failure toned" title="A claim on it was terminated">
      ✕ terminated
    </span>
  ) : null;
}

export const PendingCard = memo(function PendingCard({ data }: NodeProps<CardNode>) {
  const { item, isFaint, isActive } = data;
  if (!("pending" in item)) return null;
  const { pending } = item;
  const look = pendingLook(pending);
  return (
    <div
      className={`card card-pending tone-${look.tone}`}
      data-active={isActive}
      data-faint={isFaint}
      data-what={pending.what}
    >
      <div className="card-head">
        <span className="card-symbol">{look.symbol}</span>
        <Line className="card-type" text={pending.agent} max={50} />
        <span className="card-time">
          <Elapsed since={pending.since} />
        </span>
      </div>
      <div className="card-summary">
        {look.word}
        {pending.attempt > 1 && `, attempt ${pending.attempt}`}
      </div>
      <div className="card-foot">
        <span className="card-by">{pending.phase}</span>
      </div>
    </div>
  );
});

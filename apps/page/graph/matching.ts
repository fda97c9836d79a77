// Finds the artefacts of a goal that a reader looks for: by words, agent, type and state. Pure.
import { makerName } from "../../../lib/words/actor-name.ts";
import type { Grant } from "../data/contract.ts";
import type { ArtefactNode } from "../data/goal-graph.ts";
import { visibleLine } from "../text/visible-text.ts";
import { isBeginOf } from "../text/words.ts";
import { isOpen } from "./pending.ts";

/** Empty members filter nothing. `state`: one of `nodeStates`. */
export type NodeFilter = { words: string; agent: string; type: string; state: string };

export const nodeStates = ["at work", "waits", "failed", "sent back", "approved"] as const;

/** Undefined where nothing is filtered. */
export function matchingNodes(
  nodes: readonly ArtefactNode[],
  filter: NodeFilter,
): Set<string> | undefined {
  if (Object.values(filter).every((wanted) => wanted === "")) return undefined;
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  return new Set(nodes.filter((node) => isLike(node, filter, words)).map(({ id }) => String(id)));
}

/** The name of the agent, or of the person where it is on record. */
export function makerOf(
  node: Pick<ArtefactNode, "produced_by_agent" | "produced_by_role" | "metadata">,
): string {
  return visibleLine(makerName(node), 60);
}

function isLike(node: ArtefactNode, filter: NodeFilter, words: readonly string[]): boolean {
  const agents = [makerOf(node), ...openGrants(node).map(({ agent }) => String(agent))];
  if (filter.agent !== "" && !agents.includes(filter.agent)) return false;
  if (filter.type !== "" && node.type !== filter.type) return false;
  if (filter.state !== "" && !statesOf(node).includes(filter.state)) return false;
  if (words.length === 0) return true;
  const { id, type, metadata } = node;
  const text =
    `${type} v${node.version} ${metadata.summary ?? ""} ${agents.join(" ")}`.toLowerCase();
  const ids = [id, metadata.commit ?? ""];
  return words.every((word) => text.includes(word) || ids.some((each) => isBeginOf(each, word)));
}

function openGrants(node: ArtefactNode): Grant[] {
  return node.claims.filter(isOpen).flatMap(({ grants }) => grants);
}

function statesOf(node: ArtefactNode): string[] {
  const open = openGrants(node);
  const all = node.claims.flatMap(({ grants }) => grants);
  const isSentBack = all.some((grant) => grant.state === "done" && grant.rejects === true);
  return [
    ...(open.some(({ state }) => state === "running") ? ["at work"] : []),
    ...(open.some(({ state }) => state === "waiting" || state === "queued") ? ["waits"] : []),
    ...(node.structural_type === "Failure" || all.some(({ state }) => state === "failed")
      ? ["failed"]
      : []),
    ...(isSentBack || node.verdict === "feedback" ? ["sent back"] : []),
    ...(node.claims.some(isApproved) || node.verdict === "approval" ? ["approved"] : []),
  ];
}

/** Each reviewer has approved: none is asked still, is yet to be asked, or has failed. */
function isApproved({ status, grants }: ArtefactNode["claims"][number]): boolean {
  const reviews = grants.filter(({ phase, state }) => phase === "review" && state !== "cancelled");
  return (
    status !== "pending_review" &&
    reviews.length > 0 &&
    reviews.every((grant) => grant.state === "done" && grant.rejects !== true)
  );
}

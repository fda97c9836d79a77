// The text and the look of a node of the artefact graph, the same in every format.
import type { GraphClaim, GraphNode, ReviewedHead } from "../../core/artefact-graph.ts";
import { unaskedReviews } from "../../core/review-order.ts";
import type { StructuralType } from "../../model/artefact.ts";
import type { GoalId } from "../../model/ids.ts";
import { makerName } from "../../words/actor-name.ts";
import { shortId } from "../../words/short-id.ts";
import { approving } from "../facts/artefacts.ts";
import { oneLine, shorten } from "../text/plain-text.ts";
import { typeText } from "../text/type-text.ts";
import { costText } from "./cost-text.ts";

export type Look =
  | "goal"
  | "standard"
  | "approval"
  | "feedback"
  | "question"
  | "answer"
  | "failure"
  | "terminal"
  | "stub";

/** Dark text is readable on every fill colour, on dark pages too. */
export const textColour = "#0f172a";
export const lineColour = "#64748b";
export const colours: Readonly<Record<Look, { fill: string; line: string }>> = {
  goal: { fill: "#dbeafe", line: "#1d4ed8" },
  standard: { fill: "#ffffff", line: "#475569" },
  approval: { fill: "#ecfccb", line: "#4d7c0f" },
  feedback: { fill: "#ffedd5", line: "#c2410c" },
  question: { fill: "#fef9c3", line: "#a16207" },
  answer: { fill: "#fef9c3", line: "#a16207" },
  failure: { fill: "#fee2e2", line: "#b91c1c" },
  terminal: { fill: "#bbf7d0", line: "#166534" },
  stub: { fill: "#f1f5f9", line: lineColour },
};

const lookOfStructure: Record<StructuralType, Look> = {
  Standard: "standard",
  Review: "feedback",
  Question: "question",
  Answer: "answer",
  Failure: "failure",
  Terminal: "terminal",
};

export function lookOf(node: GraphNode, goal: GoalId): Look {
  if (node.kind !== "artefact") return "stub";
  if (String(node.logical_id) === String(goal)) return "goal";
  return node.verdict ?? lookOfStructure[node.structural_type];
}

const maxNameLength = 40;
const maxSummaryLength = 100;
const maxReasonLength = 80;

/** Plain text without empty lines: type, maker, summary, and the outcome of each claim on it. */
export function labelOf(node: GraphNode): { title: string; lines: string[] } {
  if (node.kind === "missing") return { title: shortId(node.id), lines: ["not on the blackboard"] };
  const { kind, id, goal_id } = node;
  const about = kind === "outside" ? [`of goal ${shortId(goal_id)}`] : node.claims.map(claimText);
  const lines = [`${shortId(id)} by ${makerOf(node)}`, summaryOf(node), nodeCost(node), ...about];
  return { title: titleOf(node), lines: lines.filter((line) => line !== "") };
}

/**
 * Lists them for a tree, which shows the source above: only the claims that are open, were
 * terminated, or have a stand-in. `failures`: they are shown below with their reasons. `summary`
 * and `detail` may be the words of agents.
 */
export function detailsOf(
  node: GraphNode,
  failures: readonly ReviewedHead[],
): {
  title: string;
  maker: string;
  summary: string;
  cost: string;
  claims: { name: string; detail: string }[];
} {
  if (node.kind === "missing")
    return { title: "not on the blackboard", maker: "unknown", summary: "", cost: "", claims: [] };
  const claims =
    node.kind === "artefact"
      ? node.claims.filter(({ status, stand_in }) => status !== "complete" || stand_in)
      : [];
  const shownReasons = (claim: GraphClaim) =>
    failures
      .filter(({ claim_id }) => claim_id === claim.id)
      .map(({ metadata }) => metadata.summary);
  const texts = claims.map((claim) =>
    claimParts({
      ...claim,
      termination_reason: without(claim.termination_reason, shownReasons(claim)),
    }),
  );
  return {
    title: titleOf(node),
    maker: makerOf(node),
    summary: summaryOf(node),
    cost: nodeCost(node),
    claims: texts,
  };
}

/** Says what the calls of language models have cost, where there were any. */
function nodeCost(node: GraphNode): string {
  if (node.kind !== "artefact") return "";
  const own = node.cost === undefined ? [] : [`cost ${costText(node.cost)}`];
  return [
    ...own,
    ...(node.goal_cost === undefined ? [] : [`the goal has cost ${costText(node.goal_cost)}`]),
  ].join("; ");
}

function titleOf({ overwritten, ...head }: ReviewedHead): string {
  return overwritten ? `${nameOf(head)} (overwritten by hand)` : nameOf(head);
}

function nameOf({ type, version, structural_type, verdict }: ReviewedHead): string {
  // One that is more than a word might say "Review: approves".
  const name = `${typeText(plain(type, maxNameLength)) || structural_type}${version > 1 ? ` v${version}` : ""}`;
  if (verdict !== undefined) return `${name}: ${verdict === "approval" ? approving : verdict}`;
  return structural_type === "Standard" || structural_type === type
    ? name
    : `${name} (${structural_type})`;
}

function makerOf(head: ReviewedHead): string {
  const { produced_by_agent: agent, produced_by_role: role } = head;
  const isRole = agent === "" || agent === role;
  return plain(isRole ? makerName(head) : `${agent} (${role})`, maxNameLength);
}

/** The summary of an approval, unless it only repeats the title. */
function summaryOf({ verdict, metadata: { summary = "" } }: ReviewedHead): string {
  return verdict === "approval" && summary === approving ? "" : plain(summary, maxSummaryLength);
}

/**
 * "Agent coder failed" of "Agent coder failed: No paint left", where that reason is shown
 * elsewhere.
 */
function without(text: string, reasons: readonly (string | undefined)[]): string {
  const end = reasons.map((reason) => `: ${reason}`).find((each) => text.endsWith(each)) ?? "";
  return text.slice(0, text.length - end.length);
}

function claimText(claim: GraphClaim): string {
  const { name, detail } = claimParts(claim);
  return detail === "" ? name : `${name}: ${detail}`;
}

function claimParts(claim: GraphClaim): { name: string; detail: string } {
  return {
    name: `${claim.kind === "standard" ? "claim" : claim.kind}${standingIn(claim)} ${claim.status}`,
    detail: plain(claimDetail(claim), maxReasonLength),
  };
}

function standingIn({ stand_in: standIn, grants: [grant] }: GraphClaim): string {
  return standIn === undefined || grant === undefined
    ? ""
    : ` by ${grant.agent} in place of ${plain(standIn.for, maxNameLength)}`;
}

function claimDetail(claim: GraphClaim): string {
  const { status, bidding, termination_reason, grants } = claim;
  if (status === "terminated") return termination_reason;
  if (status === "complete") return grants.length === 0 ? "no agent worked on it" : "";
  if (bidding === "open") return "bidding is open";
  const atWork = grants.filter(
    ({ state }) => state === "queued" || state === "running" || state === "waiting",
  );
  return [
    ...atWork.map(({ agent, state }) => `${agent} ${state}`),
    ...unaskedReviews({ claim, grants }).map(
      ({ agent, after }) => `${agent} waits for ${after.join(" and ")}`,
    ),
  ].join(", ");
}

/** Text from agents on one line; replaces characters that XML, and so SVG, does not allow. */
function plain(text: string, maxColumns: number): string {
  return shorten(oneLine(text).replace(/[\p{Cs}\ufffe\uffff]/gu, "\ufffd"), maxColumns);
}

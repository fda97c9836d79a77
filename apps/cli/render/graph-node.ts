// What a node of the artefact graph says and how it looks, alike in every format.
import type { GraphClaim, GraphNode, ReviewedHead } from "../../../lib/core/artefact-graph.ts";
import type { StructuralType } from "../../../lib/model/artefact.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { approving } from "../facts/artefacts.ts";
import { oneLine, shorten } from "../text/plain-text.ts";
import { shortId } from "../text/short-id.ts";

export type Look = "goal" | "standard" | "approval" | "feedback" | "question" | "answer" | "failure" | "terminal" | "stub";

/** Dark text can be read on every fill, also where the page is dark. */
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

/** Plain text, no line of it empty: what it is, who made it, what it says, and what became of each claim about it. */
export function labelOf(node: GraphNode): { title: string; lines: string[] } {
  if (node.kind === "missing") return { title: shortId(node.id), lines: ["not on the blackboard"] };
  const { kind, id, goal_id } = node;
  const about = kind === "outside" ? [`of goal ${shortId(goal_id)}`] : node.claims.map(claimText);
  const lines = [`${shortId(id)} by ${makerOf(node)}`, summaryOf(node), ...about];
  return { title: titleOf(node), lines: lines.filter((line) => line !== "") };
}

/**
 * For a tree, where whoever is above is plain to see: of the claims only those that are open, were terminated, or have a stand-in. `failures`: each stands
 * below and says its reason itself.
 */
export function detailsOf(
  node: GraphNode,
  failures: readonly ReviewedHead[],
): { title: string; maker: string; summary: string; claims: string[] } {
  if (node.kind === "missing") return { title: "not on the blackboard", maker: "unknown", summary: "", claims: [] };
  const claims = node.kind === "artefact" ? node.claims.filter(({ status, stand_in }) => status !== "complete" || stand_in) : [];
  const told = (claim: GraphClaim) =>
    failures.filter(({ claim_id }) => claim_id === claim.id).map(({ metadata }) => metadata.summary);
  const texts = claims.map((claim) =>
    claimText({ ...claim, termination_reason: without(claim.termination_reason, told(claim)) }),
  );
  return { title: titleOf(node), maker: makerOf(node), summary: summaryOf(node), claims: texts };
}

function titleOf({ type, version, structural_type, verdict }: ReviewedHead): string {
  const name = `${plain(type, maxNameLength) || structural_type}${version > 1 ? ` v${version}` : ""}`;
  if (verdict !== undefined) return `${name}: ${verdict === "approval" ? approving : verdict}`;
  return structural_type === "Standard" || structural_type === type ? name : `${name} (${structural_type})`;
}

function makerOf({ produced_by_agent: agent, produced_by_role: role }: ReviewedHead): string {
  return plain(agent === "" || agent === role ? role : `${agent} (${role})`, maxNameLength);
}

/** An approval without a summary of its own says nothing that its title does not. */
function summaryOf({ verdict, metadata: { summary = "" } }: ReviewedHead): string {
  return verdict === "approval" && summary === approving ? "" : plain(summary, maxSummaryLength);
}

/** "Agent coder failed" of "Agent coder failed: No paint left" where that reason was told. */
function without(text: string, told: readonly (string | undefined)[]): string {
  const end = told.map((reason) => `: ${reason}`).find((each) => text.endsWith(each)) ?? "";
  return text.slice(0, text.length - end.length);
}

function claimText(claim: GraphClaim): string {
  const name = `${claim.kind === "standard" ? "claim" : claim.kind}${standingIn(claim)} ${claim.status}`;
  const detail = plain(claimDetail(claim), maxReasonLength);
  return detail === "" ? name : `${name}: ${detail}`;
}

function standingIn({ stand_in: standIn, grants: [grant] }: GraphClaim): string {
  return standIn === undefined || grant === undefined
    ? ""
    : ` by ${grant.agent} in place of ${plain(standIn.for, maxNameLength)}`;
}

function claimDetail({ status, bidding, termination_reason, grants }: GraphClaim): string {
  if (status === "terminated") return termination_reason;
  if (status === "complete") return grants.length === 0 ? "nobody took it" : "";
  if (bidding === "open") return "bids come in";
  const atWork = grants.filter(({ state }) => state === "queued" || state === "running" || state === "waiting");
  return atWork.map(({ agent, state }) => `${agent} ${state}`).join(", ");
}

/** Text from agents on one line; what may not stand in XML, and hence in no SVG, is replaced. */
function plain(text: string, most: number): string {
  return shorten(oneLine(text).replace(/[\p{Cs}\ufffe\uffff]/gu, "\ufffd"), most);
}

// Reads the graph of a goal: its artefacts, what each was made from, and the claims about them.
import {
  type ArtefactGraph,
  artefactGraph,
  foreignSources,
  type GraphNode,
  type ReviewedHead,
} from "../../core/artefact-graph.ts";
import { isApproval } from "../../model/approval.ts";
import type { ArtefactId, GoalId } from "../../model/ids.ts";
import { costJson } from "../render/cost-text.ts";
import { readWhole } from "./artefacts.ts";
import { readChecked } from "./checked.ts";
import { readGoalCosts } from "./costs.ts";
import type { ReadingBoard } from "./reading-board.ts";

export async function readGraph(board: ReadingBoard, goal: GoalId): Promise<ArtefactGraph> {
  const artefacts = await readReviewed(board, await board.listArtefactsOfGoal(goal));
  const [outside, costs, causes] = await Promise.all([
    readReviewed(board, foreignSources(artefacts)),
    readGoalCosts(board, goal, artefacts),
    Promise.all(artefacts.map(({ id }) => board.claimsOfArtefact(id))),
  ]);
  const claims = await board.readClaims(causes.flatMap((ofArtefact) => [...ofArtefact.values()]));
  return artefactGraph({ goal, artefacts, outside, claims, ...(costs && { costs }) });
}

/** Reads the payloads of reviews, too: the graph shows verdicts, and these payloads are small. */
export async function readReviewed(
  board: Pick<ReadingBoard, "readHeads" | "readArtefacts" | "findOverwritten">,
  ids: readonly ArtefactId[],
): Promise<ReviewedHead[]> {
  const { heads } = await readChecked(board, ids);
  const reviews = heads
    .filter(({ structural_type }) => structural_type === "Review")
    .map(({ id }) => id);
  const verdicts = new Map<ArtefactId, ReviewedHead["verdict"]>();
  for await (const { id, payload } of readWhole(board, reviews))
    verdicts.set(id, isApproval(payload) ? "approval" : "feedback");
  return heads.map((head) => {
    const verdict = verdicts.get(head.id);
    return verdict === undefined ? head : { ...head, verdict };
  });
}

export function graphJson(graph: ArtefactGraph) {
  return { ...graph, nodes: graph.nodes.map(nodeJson) };
}

/** Money in US dollars, as everywhere in JSON. */
function nodeJson(node: GraphNode) {
  if (node.kind !== "artefact") return node;
  const { cost, goal_cost, ...rest } = node;
  return {
    ...rest,
    ...(cost && { cost: costJson(cost) }),
    ...(goal_cost && { goal_cost: costJson(goal_cost) }),
  };
}

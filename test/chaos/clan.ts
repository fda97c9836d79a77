// A little release train: a changelog that is rejected once and reworked, three checks side by side, and a packager that ends the goal.
// Two packagers want every commit, so that the first bid has somebody to win against.
import { createHash } from "node:crypto";
import { isApproval } from "../../lib/core/review-verdict.ts";
import type { AgentRegistration } from "../../lib/model/agent.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { ToolInput } from "../../lib/model/tool-contract.ts";
import { sampleAgent } from "../support/sample.ts";
import type { History } from "./history.ts";

/** So many attempts of one grant may be lost and the goal is still reached. */
export const retries = 3;

const agent = (name: string, over: Partial<AgentRegistration>) => sampleAgent(name, { retries, ...over });

export const clan: readonly AgentRegistration[] = [
  agent("changelog", { bids: [{ on: "GoalDefined", bid: "exclusive" }] }),
  agent("reviewer", { bids: [{ on: "CodeCommit", bid: "review" }] }),
  agent("tester", { bids: [{ on: "CodeCommit", bid: "claim" }] }),
  agent("licences", { bids: [{ on: "CodeCommit", bid: "claim" }] }),
  agent("secrets", { bids: [{ on: "CodeCommit", bid: "claim" }] }),
  agent("packager-one", { role: "packager", bids: [{ on: "CodeCommit", bid: "exclusive" }] }),
  agent("packager-two", { role: "packager", bids: [{ on: "CodeCommit", bid: "exclusive" }] }),
];

/** The tool of an agent with this role: its whole answer. Throws when it was not given what it needs. */
export function answerOf(role: string, input: ToolInput): unknown {
  switch (role) {
    case "changelog":
      return standard("CodeCommit", createHash("sha1").update(JSON.stringify(input.target_artefact)).digest("hex"));
    case "reviewer":
      return { structural_type: "Review", payload: input.target_artefact.version === 1 ? "Say which door." : {} };
    case "tester":
      return standard("TestReport", "green");
    case "licences":
      return standard("LicenceReport", "free");
    case "secrets":
      return standard("SecretsReport", "none");
    case "packager":
      need(input.additional_context, "LicenceReport", "Review", "SecretsReport", "TestReport");
      return { ...standard("Release", "1.2.0"), structural_type: "Terminal" };
    default:
      throw new Error(`There is no tool for the role ${role}.`);
  }
}

function standard(type: string, payload: string) {
  return { artefact_type: type, artefact_payload: payload, summary: "" };
}

function need(given: readonly Artefact[], ...types: string[]): void {
  const found = given.map((artefact) => artefact.type).toSorted();
  if (found.join() !== types.join())
    throw new Error(`The packager was given ${found.join(", ")} instead of ${types.join(", ")}.`);
}

/** A goal's artefacts and what each was made from, when all went well. */
export const expectedGraph: readonly string[] = [
  "changelog CodeCommit 1 < user GoalDefined 1",
  "changelog CodeCommit 2 < changelog CodeCommit 1, reviewer feedback 1",
  "licences LicenceReport 1 < changelog CodeCommit 2, reviewer approval 1",
  "packager Release 1 < changelog CodeCommit 2, licences LicenceReport 1, reviewer approval 1, secrets SecretsReport 1, tester TestReport 1, user GoalDefined 1",
  "reviewer approval 1 < changelog CodeCommit 2",
  "reviewer feedback 1 < changelog CodeCommit 1",
  "secrets SecretsReport 1 < changelog CodeCommit 2, reviewer approval 1",
  "tester TestReport 1 < changelog CodeCommit 2, reviewer approval 1",
  "user GoalDefined 1",
];

/** The same of a goal as it went. Attempts that failed are left out: they were made good, or the goal has failed. */
export function graphOf({ artefacts }: History, goal: string): string[] {
  const labelOf = (artefact: Artefact) => {
    const verdict = isApproval(artefact.payload) ? "approval" : "feedback";
    const type = artefact.structural_type === "Review" ? verdict : artefact.type;
    return `${artefact.produced_by_role} ${type} ${artefact.version}`;
  };
  const labelOfId = (id: string) => {
    const artefact = artefacts.get(id);
    return artefact === undefined ? "nothing" : labelOf(artefact);
  };
  return [...artefacts.values()]
    .filter((artefact) => artefact.goal_id === goal && artefact.structural_type !== "Failure")
    .map((artefact) => {
      const sources = artefact.source_artefacts.map(labelOfId).toSorted().join(", ");
      return sources === "" ? labelOf(artefact) : `${labelOf(artefact)} < ${sources}`;
    })
    .toSorted();
}

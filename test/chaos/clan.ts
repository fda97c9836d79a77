// A little release train: a changelog that is rejected once and reworked, three checks side by
// side, and a packager that ends the goal. Two packagers want every commit, and two for the
// changelog every goal, so that the first bid wins against another, and another agent can stand in
// for the one that made the commit. Questions go to a person (which version?), to an agent (which
// door?), and to an agent that has to ask a person itself (which licence?).
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { AgentRegistration } from "../../lib/model/agent.ts";
import { isApproval } from "../../lib/model/approval.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { ToolInput } from "../../lib/model/tool-contract.ts";
import { sampleAgent } from "../support/records/sample.ts";
import type { History } from "./history.ts";
import { usedAnswers } from "./rules/question-log.ts";

/** So many attempts of one grant may be lost and the goal is still reached. */
export const retries = 3;

/** While this file is there, the agent's tool fails. */
export const brokenMark = (folder: string, agent: string) => join(folder, `${agent} is broken`);

const agent = (name: string, over: Partial<AgentRegistration>) =>
  sampleAgent(name, { retries, ...over });

export const clan: readonly AgentRegistration[] = [
  agent("changelog-one", { role: "changelog", bids: [{ on: "GoalDefined", bid: "exclusive" }] }),
  agent("changelog-two", { role: "changelog", bids: [{ on: "GoalDefined", bid: "exclusive" }] }),
  agent("reviewer", { bids: [{ on: "CodeCommit", bid: "review" }] }),
  agent("tester", { bids: [{ on: "CodeCommit", bid: "claim" }] }),
  agent("licences", { bids: [{ on: "CodeCommit", bid: "claim" }] }),
  agent("secrets", { bids: [{ on: "CodeCommit", bid: "claim" }] }),
  agent("packager-one", { role: "packager", bids: [{ on: "CodeCommit", bid: "exclusive" }] }),
  agent("packager-two", { role: "packager", bids: [{ on: "CodeCommit", bid: "exclusive" }] }),
];

/**
 * The tool of an agent with this role: its whole answer. Throws when it was not given what it
 * needs.
 */
export function answerOf(role: string, input: ToolInput): unknown {
  switch (role) {
    case "changelog":
      if (input.target_artefact.structural_type === "Question") return clarify(input);
      if (input.target_artefact.type === "GoalDefined" && !knows(input, "WhichVersion"))
        return question("WhichVersion");
      return standard(
        "CodeCommit",
        createHash("sha1").update(JSON.stringify(input.target_artefact)).digest("hex"),
      );
    case "reviewer":
      return {
        structural_type: "Review",
        payload: input.target_artefact.version === 1 ? "Say which door." : {},
      };
    case "tester":
      return knows(input, "WhichDoor") ? standard("TestReport", "green") : question("WhichDoor");
    case "licences":
      if (!knows(input, "WhichLicence")) return question("WhichLicence");
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

const question = (type: string) => ({ ...standard(type, `${type}?`), structural_type: "Question" });

function clarify(input: ToolInput): unknown {
  if (input.target_artefact.type === "WhichLicence" && !knows(input, "WhoseLicence"))
    return question("WhoseLicence");
  return { structural_type: "Answer", payload: "That one." };
}

/** Whether it has asked this before. Throws when it has, and was not given the answer. */
function knows({ additional_context: given }: ToolInput, type: string): boolean {
  const question = given.find((artefact) => artefact.type === type);
  if (question === undefined) return false;
  if (
    given.some(
      ({ structural_type, source_artefacts: [about] }) =>
        structural_type === "Answer" && about === question.id,
    )
  )
    return true;
  throw new Error(`The question ${question.id} was given without its answer.`);
}

function need(given: readonly Artefact[], ...types: string[]): void {
  const found = given.map((artefact) => artefact.type).toSorted();
  if (found.join() !== types.join())
    throw new Error(`The packager was given ${found.join(", ")} instead of ${types.join(", ")}.`);
}

/** A goal's artefacts and what each was made from, when all went well. */
export const expectedGraph: readonly string[] = [
  "answer to WhichDoor 1 < tester WhichDoor 1",
  "answer to WhichLicence 1 < answer to WhoseLicence 1, licences WhichLicence 1",
  "answer to WhichVersion 1 < changelog WhichVersion 1",
  "answer to WhoseLicence 1 < changelog WhoseLicence 1",
  "changelog CodeCommit 1 < answer to WhichVersion 1, user GoalDefined 1",
  "changelog CodeCommit 2 < changelog CodeCommit 1, reviewer feedback 1",
  "changelog WhichVersion 1 < user GoalDefined 1",
  "changelog WhoseLicence 1 < licences WhichLicence 1",
  "licences LicenceReport 1 < answer to WhichLicence 1, changelog CodeCommit 2, reviewer approval 1",
  "licences WhichLicence 1 < changelog CodeCommit 2",
  "packager Release 1 < changelog CodeCommit 2, licences LicenceReport 1, reviewer approval 1, secrets SecretsReport 1, tester TestReport 1, user GoalDefined 1",
  "reviewer approval 1 < changelog CodeCommit 2",
  "reviewer feedback 1 < changelog CodeCommit 1",
  "secrets SecretsReport 1 < changelog CodeCommit 2, reviewer approval 1",
  "tester TestReport 1 < answer to WhichDoor 1, changelog CodeCommit 2, reviewer approval 1",
  "tester WhichDoor 1 < changelog CodeCommit 2",
  "user GoalDefined 1",
];

const answeredAhead = "answer to WhichLicence 1 < licences WhichLicence 1";

/**
 * Returns the artefacts that a goal may have beside this graph: where a person was faster than the
 * agent asked, that agent need not have asked itself.
 */
export function expectedBeside(graph: readonly string[]): readonly string[] {
  if (!graph.includes(answeredAhead)) return expectedGraph;
  return [answeredAhead, ...expectedGraph.filter((line) => !line.includes("WhoseLicence"))];
}

/**
 * The same of a goal as it went, without what changes nothing: attempts that failed (they were made
 * good, or the goal has failed), questions whose answer no agent has gone on with (an agent failed
 * or was removed, and the question was asked again), answers that do not count, and what an agent
 * asked on behalf of another that has its answer from elsewhere.
 */
export function graphOf(history: History, goal: string): string[] {
  const { artefacts, answers, claims } = history;
  const answeredQuestions = usedAnswers(history);
  const isVain = ({
    id,
    structural_type,
    claim_id,
    source_artefacts: [about],
  }: Artefact): boolean => {
    const source = artefacts.get(about ?? "");
    if (structural_type === "Question" && !answeredQuestions.has(id)) return true;
    const asking = claims.get(claim_id);
    // On behalf of an agent that has its answer from elsewhere.
    const isBehalf = structural_type === "Question" && asking?.kind === "clarification";
    if (isBehalf && artefacts.get(answers.get(asking.artefact_id) ?? "")?.claim_id !== asking.id)
      return true;
    if (structural_type === "Answer")
      return answers.get(about ?? "") !== String(id) || (source !== undefined && isVain(source));
    return false;
  };
  const labelOf = (artefact: Artefact) => {
    if (artefact.structural_type === "Answer")
      return `answer to ${artefacts.get(artefact.source_artefacts[0] ?? "")?.type} ${artefact.version}`;
    const verdict = isApproval(artefact.payload) ? "approval" : "feedback";
    const type = artefact.structural_type === "Review" ? verdict : artefact.type;
    return `${artefact.produced_by_role} ${type} ${artefact.version}`;
  };
  const labelOfId = (id: string) => {
    const artefact = artefacts.get(id);
    return artefact === undefined ? "nothing" : labelOf(artefact);
  };
  return [...artefacts.values()]
    .filter(
      (artefact) =>
        artefact.goal_id === goal && artefact.structural_type !== "Failure" && !isVain(artefact),
    )
    .map((artefact) => {
      const sources = artefact.source_artefacts.map(labelOfId).toSorted().join(", ");
      return sources === "" ? labelOf(artefact) : `${labelOf(artefact)} < ${sources}`;
    })
    .toSorted();
}

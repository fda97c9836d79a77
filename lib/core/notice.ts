// What there is to tell people outside. Events only say where to look: what stands on the blackboard decides.
import type { Artefact, ArtefactHead } from "../model/artefact.ts";
import type { SettEvent } from "../model/event.ts";
import type { AgentName, ArtefactId, ClaimId, GoalId, InstanceName } from "../model/ids.ts";
import type { NoticeKind } from "../model/notify.ts";
import { unreachable } from "../model/unreachable.ts";
import type { GoalState } from "./goal-status.ts";

/** What a notice may be about. A question and an approval wait for a person, and are told of again. */
export type Subject =
  | { kind: "question"; question: ArtefactId }
  | { kind: "approval"; claim: ClaimId; agent: AgentName }
  | { kind: "goal"; goal: GoalId };

/** `id` is the same as often as the same thing is read. `at`: since when it is so (ISO 8601). */
export type Notice = {
  id: string;
  kind: NoticeKind;
  at: string;
  goal: Artefact | undefined;
  /** The question, what is to be approved, or what the goal ended with. */
  artefact?: Artefact;
  /** Who is to approve it. */
  approver?: AgentName;
};

export function subjectOf({ type, artefact_id, claim_id, goal_id, agent, data }: SettEvent): Subject | undefined {
  const goal = goal_id && ({ kind: "goal", goal: goal_id } as const);
  switch (type) {
    case "question_asked":
      return artefact_id && { kind: "question", question: artefact_id };
    case "grant_waiting":
      // Also of one that waits for an answer, which is no approval when looked at.
      return claim_id && agent && { kind: "approval", claim: claim_id, agent };
    case "claim_completed":
    case "claim_terminated":
    case "goal_ended":
      return goal;
    case "artefact_created":
      // Written by hand they come without a claim that ends.
      return data?.structural_type === "Terminal" || data?.structural_type === "Failure" ? goal : undefined;
    default:
      return undefined;
  }
}

/** One word for each subject: letters, digits and `-`. */
export function keyOf(subject: Subject): string {
  switch (subject.kind) {
    case "question":
      return `question-${subject.question}`;
    case "approval":
      return `approval-${subject.claim}-${subject.agent}`;
    case "goal":
      return `goal-${subject.goal}`;
    default:
      return unreachable(subject);
  }
}

/** How a goal at rest ended; undefined for one that goes on, or waits for a person. */
export function endingOf(state: GoalState): NoticeKind | undefined {
  return state === "running" || state === "waiting" ? undefined : state;
}

/** The artefact that tells most of how a goal has ended, if there is one. */
export function lastWordOf(ending: NoticeKind, goal: GoalId, artefacts: readonly ArtefactHead[]): ArtefactId | undefined {
  const kinds: Partial<Record<NoticeKind, string>> = { achieved: "Terminal", settled: "Standard", failed: "Failure" };
  const isOne = (head: ArtefactHead) => head.structural_type === kinds[ending] && String(head.logical_id) !== String(goal);
  return artefacts.findLast(isOne)?.id;
}

const typeOf: Record<NoticeKind, string> = {
  question: "question.asked",
  approval: "approval.wanted",
  achieved: "goal.achieved",
  settled: "goal.settled",
  failed: "goal.failed",
  stalled: "goal.stalled",
  cancelled: "goal.cancelled",
};

const maxSummaryLength = 200;
const maxTextLength = 4_000;

/** What is posted: JSON, the same as often as the same thing is told with the same `reminder`. */
export function noticeBody(notice: Notice, { instance, reminder }: { instance: InstanceName; reminder: number }): string {
  const { kind, at, goal, artefact, approver } = notice;
  return JSON.stringify({
    type: typeOf[kind],
    instance,
    at,
    reminder,
    goal: goal && { id: goal.goal_id, summary: summaryOf(goal) },
    artefact: artefact && {
      id: artefact.id,
      type: artefact.type,
      by: artefact.produced_by_agent || artefact.produced_by_role,
      summary: summaryOf(artefact),
      text: shortened(artefact.payload, maxTextLength),
    },
    approver,
    answer_with: artefact && commandsFor(kind, artefact.id)?.map((command) => `${command} --name ${instance}`),
  });
}

/** What a person may do about it, where somebody waits for that. */
function commandsFor(kind: NoticeKind, id: ArtefactId): string[] | undefined {
  if (kind === "question") return [`sett answer ${id} "…"`];
  if (kind === "approval") return [`sett approve ${id}`, `sett reject ${id} --reason "…"`];
  return undefined;
}

/** Its own, or its first line. */
function summaryOf({ metadata: { summary = "" }, payload }: Artefact): string {
  const [first = ""] = payload.trimStart().slice(0, maxTextLength).split("\n");
  return shortened(summary.trim() === "" ? first : summary, maxSummaryLength);
}

function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half of a pair would be no character.
  return `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

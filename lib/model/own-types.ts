// The names of types that are Sett's own: what it does, and what people do, depends on them. No
// agent may use one, or a name that people would take for one. The names of the structural types
// are everybody's.
import { goalFeedbackType, goalType, maxTypeLength, StructuralType } from "./artefact.ts";
import { callQuestionType } from "./asked-call.ts";
import { landedType } from "./lane.ts";
import { firstLike } from "./looks-like.ts";
import { budgetExceededType } from "./model-call.ts";
import { remarkType } from "./remark-type.ts";
import { toolFailureType } from "./tool-contract.ts";

/**
 * The type of the Failure for an attempt whose agent has stopped renewing its lease, or whose
 * worker has ended.
 */
export const attemptLostType = "AttemptLost";

/**
 * The type of the Failure for an attempt that the cluster has ended: its pod was evicted or
 * preempted, say, or its node is gone.
 */
export const attemptDisruptedType = "AttemptDisrupted";

/**
 * The types of the Failures for work not begun: the agent is not registered any more, or has given
 * no sign of life for too long.
 */
export const agentRemovedType = "AgentRemoved";
export const agentSilentType = "AgentSilent";

/**
 * The type of the built-in worker's Failure when the provider or the gateway refuses a call, or
 * cannot be reached.
 */
export const callFailedType = "ModelCallFailed";

/**
 * The type of the built-in worker's Failure for a model that ends its work without a result: prose,
 * too many steps, no time left.
 */
export const noResultType = "ModelGaveNoResult";

/**
 * The types of the orchestrator's other Failures: it cannot go on with an artefact, a thread or a
 * goal.
 */
export const artefactUnreadableType = "ArtefactUnreadable";
export const reviewRoundsExceededType = "ReviewRoundsExceeded";
export const producerGoneType = "ProducerGone";
export const postRejectedType = "PostRejected";
export const artefactLimitExceededType = "ArtefactLimitExceeded";

export const ownTypes: readonly string[] = [
  goalType,
  remarkType,
  goalFeedbackType,
  budgetExceededType,
  callQuestionType,
  toolFailureType,
  attemptLostType,
  attemptDisruptedType,
  agentRemovedType,
  agentSilentType,
  callFailedType,
  noResultType,
  artefactUnreadableType,
  reviewRoundsExceededType,
  producerGoneType,
  postRejectedType,
  artefactLimitExceededType,
  landedType,
];

type Typed = { structural_type: StructuralType; type: string };

const bySource = {
  /** An agent's own command may print these. */
  command: {},
  /** Sett's own worker, which is a command too, may print these. */
  worker: {
    Failure: [budgetExceededType, callFailedType, noResultType],
    Question: [budgetExceededType],
  },
  /** Sett's own merging onto a lane may print this, and its cub may send it. */
  lane: {
    Terminal: [landedType],
    Failure: [toolFailureType, attemptLostType, attemptDisruptedType],
  },
  /**
   * A cub may send these: what its command has printed, or what the cub says of the command's end.
   */
  agent: {
    Failure: [
      toolFailureType,
      attemptLostType,
      attemptDisruptedType,
      budgetExceededType,
      callFailedType,
      noResultType,
    ],
    Question: [budgetExceededType],
  },
} as const satisfies Record<string, Partial<Record<StructuralType, readonly string[]>>>;
export type TypeSource = keyof typeof bySource;

/**
 * The type of Sett's own that this source may not use, or whose look it has; undefined where there
 * is none.
 */
export function forbiddenOwnType(
  { structural_type, type }: Typed,
  source: TypeSource,
): string | undefined {
  const allowed: Partial<Record<StructuralType, readonly string[]>> = bySource[source];
  if (allowed[structural_type]?.includes(type) === true) return undefined;
  return firstLike(type, ownTypes);
}

/** Names a type that this source may not use, in a sentence; undefined where it may. */
export function problemOfType(typed: Typed, source: TypeSource): string | undefined {
  const own = forbiddenOwnType(typed, source);
  // The type itself is not quoted: a reader would see no difference.
  if (own !== undefined)
    return typed.type === own
      ? `the type ${own}, which is Sett's own`
      : `a type that looks like ${own}, which is Sett's own`;
  return /\p{Bidi_Control}/u.test(typed.type)
    ? "a type with a character that turns the direction of text"
    : undefined;
}

/**
 * Names a type with which a person may not post an artefact, in a sentence; undefined where they
 * may. The names of the other structural types would promise what a Standard artefact is not.
 */
export function problemOfPosted(type: string): string | undefined {
  if (!/[^\p{Z}\p{Cc}\p{Cf}]/u.test(type)) return "a type without a character";
  if (!type.isWellFormed()) return "a type with half a surrogate pair";
  if (type.length > maxTypeLength) return `a type of more than ${maxTypeLength} characters`;
  const structural = firstLike(type, StructuralType.options);
  if (structural !== undefined) return `${structural === "Answer" ? "an" : "a"} ${structural}`;
  return problemOfType({ structural_type: "Standard", type }, "command");
}

// The first message to the model: the target and all that it needs to know, as data. It has no id,
// time or hash of a run.
import { type Artefact, goalType } from "../../../lib/model/artefact.ts";
import { budgetExceededType } from "../../../lib/model/model-call.ts";
import { isRemark } from "../../../lib/model/remark-type.ts";
import type { ToolInput } from "../../../lib/model/tool-contract.ts";
import { type CommitNames, commitOf } from "./commit-names.ts";
import { cutMiddle } from "./cut-middle.ts";
import { fitLengths, minExcerpt } from "./fit-lengths.ts";
import { markData } from "./mark-data.ts";
import { feedbackOn, type WorkKind } from "./work-kind.ts";

/**
 * `changes`: what the target's commit has changed, as a diff. `plan`: that of the run before the
 * last question.
 */
export type ContextFacts = {
  kind: WorkKind;
  commits: CommitNames;
  changes?: string | undefined;
  plan?: string | undefined;
};

/**
 * About `maxLength` characters, and half as many of the diff, unless the goal, the target, the
 * reviews to heed and what people have said to the work need more: they are never shortened.
 */
export function contextText(
  input: ToolInput,
  { kind, commits, changes, plan }: ContextFacts,
  maxLength: number,
): string {
  const { target_artefact: target, claim_type } = input;
  const additional = withoutBudgetDialogue(input.additional_context);
  const reviews = feedbackOn(target, additional);
  const remark = additional.filter(isRemark);
  const dialogue = additional.filter(
    (one) =>
      !isRemark(one) && (one.structural_type === "Question" || one.structural_type === "Answer"),
  );
  const apart = [...reviews, ...remark, ...dialogue];
  const others = additional.filter((one) => !apart.includes(one));
  // A question and its answer are in both lists when the work goes on.
  const shownApart = new Set([target, ...input.additional_context].map(({ id }) => id));
  const chain = withoutBudgetDialogue(input.context_chain).filter((one) => !shownApart.has(one.id));
  const artefacts = [...chain, target, ...additional];
  const numbers = new Map(artefacts.map(({ id }, index) => [id, index + 1]));
  // The oldest lose first: the chain before the results of earlier phases, and questions with their
  // answers last.
  const order = [...chain, ...others, ...dialogue, target, ...reviews, ...remark];
  const isProtected = (one: Artefact) =>
    one === target || reviews.includes(one) || remark.includes(one) || one.type === goalType;
  const names = new Map<string, string>([
    ...[...numbers].map(([id, number]) => [id, `#${number}`] as const),
    ...commits,
  ]);
  const payloads = order.map((one) => withNames(one.payload, names));
  const allowed = fitLengths(
    order.map((one, index) => ({
      length: payloads[index]?.length ?? 0,
      isProtected: isProtected(one),
    })),
    maxLength,
  );
  const texts = new Map(
    order.map((one, index) => [one, shortened(payloads[index] ?? "", allowed[index] ?? 0)]),
  );
  const show = (one: Artefact) =>
    markData(attributesOf(one, numbers.get(one.id) ?? 0, names), texts.get(one) ?? "");
  const section = (title: string, ones: readonly Artefact[]) =>
    ones.length === 0 ? [] : [`# ${title}`, ...ones.map(show)];
  return [
    `${tasks[kind]} The target is artefact ${numbers.get(target.id)}${ofType(target)}; your bid for it was \`${claim_type}\`.`,
    ...section("What the target was made from, oldest first", chain),
    ...section("The target", [target]),
    ...(changes === undefined
      ? []
      : [
          "# What the target's commit changes",
          markData({ type: "diff" }, cutMiddle(changes, Math.max(maxLength / 2, minExcerpt))),
        ]),
    ...section("Reviews of the target, to be heeded", reviews),
    ...section("What people have said to you since, to be heeded; the newest counts", remark),
    ...section("Results of earlier phases", others),
    ...section("Questions that you have asked, and their answers", dialogue),
    ...(plan === undefined
      ? []
      : ["# The plan that you had when you asked", markData({ type: "plan" }, plan)]),
  ].join("\n\n");
}

const tasks: Readonly<Record<WorkKind, string>> = {
  work: "Do the work that the target calls for.",
  rework: "Make a new version of the target that heeds the reviews.",
  review: "Review the target.",
  clarification: "Answer the question that is the target.",
};

/**
 * Its tag has the type, too, as data: this sentence is none, and the agent that made the artefact
 * has chosen its type.
 */
function ofType({ type }: Artefact): string {
  return /^[\w.:/-]+$/.test(type) ? `, of the type ${type}` : "";
}

/** Questions about the budget, and amounts of money, are no part of the work. */
function withoutBudgetDialogue(artefacts: readonly Artefact[]): Artefact[] {
  const questions = new Set<string>(
    artefacts.filter((one) => one.type === budgetExceededType).map(({ id }) => id),
  );
  return artefacts.filter(
    (one) =>
      !questions.has(one.id) &&
      !(one.structural_type === "Answer" && one.source_artefacts.some((id) => questions.has(id))),
  );
}

function shortened(text: string, length: number): string {
  return length === 0 && text !== ""
    ? `[${text.length} characters are left out here to save space]`
    : cutMiddle(text, length);
}

function attributesOf(
  one: Artefact,
  number: number,
  names: ReadonlyMap<string, string>,
): Record<string, string> {
  const commit = commitOf(one);
  const { summary, commit: _, changed_paths: _paths, ...more } = one.metadata;
  const own = typeof more.by === "string" ? withoutPerson(more) : more;
  return {
    number: String(number),
    type: one.type,
    by: one.produced_by_role,
    ...(one.version > 1 && { version: String(one.version) }),
    ...(commit !== undefined && { commit: names.get(commit) ?? commit }),
    ...(summary !== undefined && summary !== "" && { summary: withNames(summary, names) }),
    ...(Object.keys(own).length > 0 && { metadata: withNames(JSON.stringify(own), names) }),
  };
}

/**
 * A model needs no name, address and signature of a person: these go to no provider, and the same
 * answer of two people asks the model the same.
 */
function withoutPerson({
  by: _,
  statement: _said,
  signature: _mark,
  ...rest
}: Artefact["metadata"]) {
  return rest;
}

/** Ids of artefacts as their numbers, hashes of commits as their names. */
function withNames(text: string, names: ReadonlyMap<string, string>): string {
  return text.replace(
    /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{40}|[0-9a-f]{64})\b/g,
    (id) => names.get(id) ?? id,
  );
}

// Checks the text of a goal, an answer, a reason or an artefact, wherever it comes from.
import { maxPayloadBytes } from "../../model/artefact.ts";
import { SettError, type SettErrorCode } from "../../model/errors.ts";

export type TextKind = {
  name: string;
  code: SettErrorCode;
  hintIfEmpty: string;
  hintIfTooLong: string;
  nothingDone: string;
};

const goal: TextKind = {
  name: "goal",
  code: "goal-invalid",
  hintIfEmpty: 'Say what is to be done: --goal "Write the changelog"',
  hintIfTooLong: "Commit the long text to the repository, and name its path in the goal.",
  nothingDone: "no goal was posted",
};
const answer: TextKind = {
  name: "answer",
  code: "usage",
  hintIfEmpty: 'No answer was posted. Write one, for example "The green one".',
  hintIfTooLong:
    "No answer was posted. Commit the long text to the repository, and name its path in the answer.",
  nothingDone: "no answer was posted",
};

const reason: TextKind = {
  name: "reason",
  code: "usage",
  hintIfEmpty: 'Say what must be better: --reason "The date is wrong"',
  hintIfTooLong:
    "Nothing was rejected. Commit the long text to the repository, and name its path in the reason.",
  nothingDone: "nothing was rejected",
};

const comment: TextKind = {
  name: "reason",
  code: "usage",
  hintIfEmpty: "Nothing was approved. Leave out --reason, or say something with it.",
  hintIfTooLong: "Nothing was approved. Give a shorter reason.",
  nothingDone: "nothing was approved",
};

const content: TextKind = {
  name: "content",
  code: "usage",
  hintIfEmpty: 'Nothing was posted. Say something: --payload "The door is 2 m high"',
  hintIfTooLong: "Nothing was posted. Commit the long text, and post the commit: --commit HEAD",
  nothingDone: "nothing was posted",
};

const words: TextKind = {
  name: "text",
  code: "usage",
  hintIfEmpty: 'Say something: "Leave the tests as they are"',
  hintIfTooLong: "Nothing was said. Commit the long text, and name its path.",
  nothingDone: "nothing was said",
};

export const textKinds = { goal, answer, reason, comment, content, words } as const;

/** Throws the kind's error for a text that is empty, too long, or that UTF-8 cannot write. */
export function checkedText(text: string, kind: TextKind): string {
  // A text of spaces, controls and marks alone says nothing to anybody.
  if (!/[^\p{Z}\p{Cc}\p{Cf}]/u.test(text))
    throw new SettError(kind.code, `The ${kind.name} is empty.`, { hint: kind.hintIfEmpty });
  if (Buffer.byteLength(text) > maxPayloadBytes) throw tooLongText(kind);
  if (text.isWellFormed()) return text;
  throw new SettError(
    kind.code,
    `The ${kind.name} has half a surrogate pair, which is not valid text.`,
    {
      hint: "Write it as UTF-8 text.",
    },
  );
}

export function tooLongText({ name, code, hintIfTooLong }: TextKind): SettError {
  return new SettError(code, `The ${name} is longer than 16 MiB.`, { hint: hintIfTooLong });
}

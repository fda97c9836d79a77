// Finds the whole id for a short id, as people copy it from a table.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import type { Artefact, ArtefactHead } from "../../model/artefact.ts";
import { SettError } from "../../model/errors.ts";
import { ArtefactId, GoalId } from "../../model/ids.ts";
import { shortId } from "../../words/short-id.ts";
import { boundedLine, oneLine, shorten } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";
import { typeText } from "../text/type-text.ts";
import { readHeads } from "./artefacts.ts";
import { readSound } from "./checked.ts";
import { failuresOf, readGoalState } from "./goal.ts";
import type { ReadingBoard } from "./reading-board.ts";

/** The expected kind of an id. */
type What = "artefact" | "goal" | "question";

const minCharacters = 6;
/** How much of a typed id is shown; longer than any id. */
const maxShownLength = 60;

/**
 * The whole id of an artefact. Throws `artefact-not-found`, `artefact-ambiguous`, or `usage` for a
 * text that is no id.
 */
export async function resolveArtefactId(
  board: Pick<ReadingBoard, "findArtefacts" | "readHeads">,
  text: string,
  suggest: Suggest,
  what: What = "artefact",
): Promise<ArtefactId> {
  const start = startOfId(text, what, suggest);
  const whole = ArtefactId.safeParse(start);
  if (whole.success) return whole.data;
  const found = await board.findArtefacts(start);
  const [only, ...others] = found;
  if (only === undefined) throw notFound(text, what, suggest);
  if (others.length === 0) return only;
  throw ambiguous(text, await readHeads(board, found), "artefacts");
}

/**
 * The question of this id; open questions come first. Throws as above, and `usage` for an artefact
 * that is no question, and as `readSound`.
 */
export async function resolveQuestion(
  board: PersonBlackboard,
  text: string,
  suggest: Suggest,
): Promise<Artefact> {
  const start = startOfId(text, "question", suggest);
  const open = (await board.listOpenQuestions()).filter((id) => id.startsWith(start));
  if (open.length > 1) throw ambiguous(text, await readHeads(board, open), "questions");
  const found = await readSound(
    board,
    open[0] ?? (await resolveArtefactId(board, text, suggest, "question")),
    suggest,
  );
  if (found === undefined) throw notFound(text, "question", suggest);
  if (found.structural_type === "Question") return found;
  throw wrongKind(found, "a question", listing("question", suggest));
}

/** Does the same for Failures. The id of a goal means the one Failure by which it has failed. */
export async function resolveFailure(
  board: PersonBlackboard,
  text: string,
  suggest: Suggest,
): Promise<Artefact> {
  const found = await readSound(board, await resolveArtefactId(board, text, suggest), suggest);
  if (found === undefined) throw notFound(text, "artefact", suggest);
  if (found.structural_type === "Failure") return found;
  const goal = found.goal_id;
  if (ArtefactId.parse(goal) !== found.id)
    throw wrongKind(found, "a Failure", listing("artefact", suggest));
  const reading = await readGoalState(board, goal);
  const [only, ...others] = failuresOf(reading);
  if (only === undefined)
    throw new SettError(
      "usage",
      `Goal ${shortId(goal)} has no Failure that can be retried: it is ${reading.status.state}.`,
      { hint: `\`${suggest(`watch --no-follow --goal ${shortId(goal)}`)}\` shows what there is.` },
    );
  if (others.length > 0)
    throw oneOf(
      `Goal ${shortId(goal)} has ${others.length + 1} Failures`,
      [only, ...others],
      "Give the id of one of them.",
    );
  const failure = await readSound(board, only.id, suggest);
  if (failure === undefined) throw notFound(only.id, "artefact", suggest);
  return failure;
}

/** Does the same for goals. */
export async function resolveGoalId(
  board: ReadingBoard,
  text: string,
  suggest: Suggest,
): Promise<GoalId> {
  const start = startOfId(text, "goal", suggest);
  const whole = GoalId.safeParse(start);
  // To look for the beginnings of ids costs more than all that is read of a goal.
  if (whole.success && (await board.readGoal(whole.data)).artefacts > 0) return whole.data;
  // A goal has the id of its first artefact. Its record exists even where a person has removed that
  // artefact by hand.
  const candidates = (await board.findArtefacts(start)).map((id) => GoalId.parse(id));
  const records = await Promise.all(candidates.map((id) => board.readGoal(id)));
  const found = candidates.filter((_, index) => (records[index]?.artefacts ?? 0) > 0);
  const [only, ...others] = found;
  if (only === undefined) throw await noGoal(board, text, suggest);
  if (others.length === 0) return only;
  throw new SettError(
    "artefact-ambiguous",
    `${shown(text)} is the beginning of ${found.length} ids of goals:\n${found.map((id) => `  ${id}`).join("\n")}`,
    {
      hint: "Give more characters.",
    },
  );
}

async function noGoal(board: ReadingBoard, text: string, suggest: Suggest): Promise<SettError> {
  const other = await board.readArtefact(await resolveArtefactId(board, text, suggest, "goal"));
  if (other === undefined) return notFound(text, "goal", suggest);
  return wrongKind(other, "a goal", `It belongs to goal ${shortId(other.goal_id)}.`);
}

/**
 * Refuses the id of an artefact that the command cannot work with. `expected`: such as `a goal`.
 */
export function wrongKind(
  { id, type, structural_type }: Artefact,
  expected: string,
  hint: string,
): SettError {
  return new SettError(
    "usage",
    `${shortId(id)} is not ${expected}: it is ${typeText(type)} (${structural_type}).`,
    { hint },
  );
}

function ambiguous(text: string, found: readonly ArtefactHead[], what: string): SettError {
  const sentence = `${shown(text)} is the beginning of ${found.length} ids of ${what}`;
  return oneOf(sentence, found, "Give more characters.");
}

/** The oldest first. */
function oneOf(sentence: string, found: readonly ArtefactHead[], hint: string): SettError {
  const byAge = found.toSorted(
    (one, other) => Date.parse(one.created_at) - Date.parse(other.created_at),
  );
  const candidates = byAge.map(
    ({ id, type, metadata }) =>
      `  ${id}  ${typeText(type)}${metadata.summary === undefined ? "" : `  ${boundedLine(metadata.summary, 100)}`}`,
  );
  return new SettError("artefact-ambiguous", `${sentence}:\n${candidates.join("\n")}`, { hint });
}

function listing(what: What, suggest: Suggest): string {
  if (what === "question")
    return `\`${suggest("questions")}\` lists the questions that wait for an answer.`;
  if (what === "goal") return `\`${suggest("status --all")}\` lists the goals.`;
  return `\`${suggest("hoard")}\` lists the ids.`;
}

function startOfId(text: string, what: What, suggest: Suggest): string {
  const start = text.trim().toLowerCase();
  if (/^[0-9a-f-]*$/.test(start) && start.length >= minCharacters) return start;
  const problem =
    start.length < minCharacters
      ? `at least ${minCharacters} characters`
      : "only digits and the letters a to f";
  throw new SettError(
    "usage",
    `\`${shown(text)}\` is not the id of a${what === "artefact" ? "n artefact" : ` ${what}`}: an id has ${problem}.`,
    {
      hint: listing(what, suggest),
    },
  );
}

export function notFound(text: string, what: What, suggest: Suggest): SettError {
  return new SettError("artefact-not-found", `There is no ${what} ${shown(text)}.`, {
    hint: listing(what, suggest),
  });
}

function shown(text: string): string {
  return shorten(oneLine(text), maxShownLength);
}

// The loop: the model answers, its tools run, and it gets their output, until a tool ends the work
// or a limit is reached.
import { messageOf } from "../../../lib/model/errors.ts";
import { noResultType } from "../../../lib/model/own-types.ts";
import type { ModelAnswer, ToolCall } from "./ask-model.ts";
import { type AskDeps, askWithin } from "./ask-within.ts";
import { Circles } from "./circles.ts";
import { type Round, shortenRounds, type ToolText } from "./conversation.ts";
import { cutMiddle } from "./cut-middle.ts";
import type { RemarkReader } from "./remark-reader.ts";
import { describeCall, endWord, type Tool, type ToolEnd } from "./tool.ts";
import { failure, type WorkAnswer } from "./work-answer.ts";

export type LoopDeps = AskDeps & {
  tools: readonly Tool[];
  /** It reads the remarks that people make meanwhile. */
  remarks: Pick<RemarkReader, "next">;
  maxSteps: number;
  maxContextLength: number;
};

/** One piece of work may have so many calls of unknown tools, or with malformed arguments. */
const maxMalformed = 8;
const maxProseLength = 20_000;
/** From here on the model knows how many steps it has left. */
const lastSteps = 5;

/** Rejects with a `ModelCallError`, or with the signal's reason. */
export async function workLoop(deps: LoopDeps, signal: AbortSignal): Promise<WorkAnswer> {
  const circles = new Circles();
  let task = deps.taskWithin(deps.maxContextLength / 2);
  let rounds: readonly Round[] = [];
  let malformed = 0;
  let hasProse = false;
  for (let step = 1; step <= deps.maxSteps; step++) {
    rounds = shortenRounds(
      rounds,
      Math.max(deps.maxContextLength - task.length, deps.maxContextLength / 4),
    );
    const turn = await askWithin(deps, { task, rounds }, signal);
    const { answer } = turn;
    ({ task, rounds } = turn.conversation);
    const before = newRemarks(deps, step);
    if (answer.calls.length === 0) {
      deps.log(`step ${step}: ${answer.isCut ? "an answer that was cut off" : "no tool"}`);
      if (hasProse) return proseFailure(answer);
      hasProse = true;
      const note = reminder(answer, deps.tools);
      rounds = [...rounds, { answer: answer.message, results: [], note, ...joined(before) }];
      continue;
    }
    hasProse = false;
    const results: ToolText[] = [];
    for (const call of answer.calls) {
      const isHeld = before !== undefined && step < deps.maxSteps;
      const end = await useTool(deps.tools, call, { isCut: answer.isCut, isHeld }, signal);
      deps.log(
        `step ${step}: ${describeCall(call.name, call.input, toolNamed(deps.tools, call.name))}${end.kind === "output" ? "" : ` (${endWord(end)})`}`,
      );
      if (end.kind === "ended") return end.answer;
      if (end.kind === "malformed") malformed++;
      if (malformed > maxMalformed)
        return failure(
          noResultType,
          `The model made ${malformed} calls of unknown tools or with malformed arguments. The last: ${end.text}`,
        );
      results.push({
        id: call.id,
        name: call.name,
        text: end.text,
        isError: end.kind === "malformed",
      });
    }
    const circle = circles.look(answer.calls, results);
    if (circle?.kind === "end") return failure(noResultType, circle.text);
    const note = [circle?.text, notice(deps.maxSteps - step)]
      .filter((one) => one !== undefined)
      .join("\n");
    const said = joined(before, newRemarks(deps, step));
    rounds = [
      ...rounds,
      { answer: answer.message, results, ...(note !== "" && { note }), ...said },
    ];
  }
  return failure(
    noResultType,
    `The model has not finished within ${deps.maxSteps} steps. SETT_WORK_STEPS sets their number.`,
  );
}

function newRemarks({ remarks, log }: LoopDeps, step: number): string | undefined {
  const said = remarks.next();
  if (said !== undefined) log(`step ${step}: people have said something`);
  return said;
}

function joined(...said: readonly (string | undefined)[]): { remarks?: string } {
  const remarks = said.filter((text) => text !== undefined).join("\n\n");
  return remarks === "" ? {} : { remarks };
}

function notice(left: number): string | undefined {
  return left > 0 && left <= lastSteps ? `Steps left: ${left}. End the work now.` : undefined;
}

/** `isHeld`: the work does not end now, for the model has not read the newest remarks. */
async function useTool(
  tools: readonly Tool[],
  { name, input, problem }: ToolCall,
  { isCut, isHeld }: { isCut: boolean; isHeld: boolean },
  signal: AbortSignal,
): Promise<ToolEnd> {
  const found = toolNamed(tools, name);
  if (found === undefined || problem !== undefined) {
    const cutOff = isCut
      ? " The answer was cut off because it was too long: write less at once."
      : "";
    return { kind: "malformed", text: `${problem ?? `There is no tool \`${name}\`.`}${cutOff}` };
  }
  signal.throwIfAborted();
  if (isHeld && found.isEnding === true)
    return {
      kind: "output",
      text: "The work has not ended: people have said something meanwhile, which follows. End it once it heeds that.",
    };
  try {
    return await found.use(input, signal);
  } catch (error) {
    signal.throwIfAborted();
    // A full disk, a broken repository: the model may find a way around it, and its work so far is
    // not lost.
    return { kind: "output", text: `\`${name}\` failed: ${messageOf(error)}` };
  }
}

function toolNamed(tools: readonly Tool[], name: string): Tool | undefined {
  return tools.find((one) => one.name === name);
}

function reminder({ isCut }: ModelAnswer, tools: readonly Tool[]): string {
  const why = isCut
    ? "Your answer was cut off because it was too long, before it called a tool."
    : "Your answer has no tool call, so nothing was done.";
  return `${why} Call a tool now: ${tools.map(({ name }) => `\`${name}\``).join(", ")}. Text alone is read by no one.`;
}

function proseFailure({ text }: ModelAnswer): WorkAnswer {
  const words = cutMiddle(text.trim(), maxProseLength);
  const quoted =
    words === ""
      ? "It said nothing."
      : `It said: ${words.length > 300 ? `${words.slice(0, 300).toWellFormed()}…` : words}`;
  return failure(noResultType, `The model answered twice without calling a tool. ${quoted}`, words);
}

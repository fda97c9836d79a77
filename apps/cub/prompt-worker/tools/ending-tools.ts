// The tools that end the work with an answer of the tool contract.
import { z } from "zod";
import { codeCommitType } from "../../../../lib/model/artefact.ts";
import { type Commit, commitChanges } from "../commit-changes.ts";
import { defineTool, output, type Tool, type ToolEnd } from "../tool.ts";
import type { WorkAnswer } from "../work-answer.ts";
import type { WorkKind } from "../work-kind.ts";
import type { Workspace } from "../workspace.ts";

/**
 * `targetType`: the type that a rework must have. `keep` keeps what a question shall not lose;
 * undefined: there is nothing to keep.
 */
export type Work = {
  kind: WorkKind;
  targetType: string;
  isReadWrite: boolean;
  workspace: Workspace;
  keep: () => Promise<Commit | undefined>;
};

export function endingTools(work: Work): Tool[] {
  return toolsOf(work).map((tool) => ({ ...tool, isEnding: true }));
}

function toolsOf(work: Work): Tool[] {
  switch (work.kind) {
    case "review":
      return [approveTool, feedbackTool, askTool(work)];
    case "clarification":
      return [answerTool, askTool(work)];
    default:
      return [finishTool(work), askTool(work)];
  }
}

const sentence = (what: string) =>
  z.string().trim().min(1, { error: "must not be empty" }).max(2_000).describe(what);

function askTool({ isReadWrite, keep }: Work): Tool {
  return defineTool({
    name: "ask",
    description:
      "Ends this run with a question to the people or agents before you. You are started again with the answer" +
      (isReadWrite ? ", and what you have changed is kept." : ".") +
      " Ask only what you cannot find out or decide yourself, and everything at once.",
    input: z.strictObject({ question: z.string().trim().min(1, { error: "must not be empty" }) }),
    use: async ({ question }) => {
      const kept = await keep();
      if (kept?.ok === false) return output(`The question was not asked. ${kept.reason}`);
      return ended({ structural_type: "Question", payload: question, summary: lineOf(question) });
    },
  });
}

const answerTool = defineTool({
  name: "answer",
  description: "Ends the work with the answer to the question.",
  input: z.strictObject({ answer: z.string().trim().min(1, { error: "must not be empty" }) }),
  use: async ({ answer }) =>
    ended({ structural_type: "Answer", payload: answer, summary: lineOf(answer) }),
});

const approveTool = defineTool({
  name: "approve",
  description: "Ends the review: the target is good as it is.",
  input: z.strictObject({ summary: sentence("One line: what you have checked.") }),
  use: async ({ summary }) =>
    ended({ structural_type: "Review", payload: {}, summary: lineOf(summary) }),
});

const Problem = z.strictObject({
  file: z.string().optional().describe("Relative to the workspace."),
  line: z.int().min(1).optional(),
  severity: z.enum(["blocker", "major", "minor"]),
  text: sentence("What is wrong, and what to do about it."),
});

const feedbackTool = defineTool({
  name: "feedback",
  description:
    "Ends the review: the target needs a new version, and its author gets these problems.",
  input: z.strictObject({
    summary: sentence("One line for people."),
    problems: z
      .array(Problem)
      .min(1, { error: "must have at least one problem; without any, use `approve`" })
      .max(200),
  }),
  use: async ({ summary, problems }) =>
    ended({ structural_type: "Review", payload: { problems }, summary: lineOf(summary) }),
});

function finishTool(work: Work): Tool {
  const { isReadWrite, kind, targetType, workspace } = work;
  const { sparse } = workspace;
  const part =
    sparse === undefined ? "" : `No files may change but these: ${sparse.paths.join(", ")}. `;
  const commits = isReadWrite
    ? `What has changed in the workspace is committed; the payload of a ${codeCommitType} is that commit. ${part}`
    : "";
  const type =
    kind === "rework"
      ? `It must be ${targetType}.`
      : `A word that says what the result is, such as Report${isReadWrite ? `, or ${codeCommitType} for a change of files` : ""}.`;
  return defineTool({
    name: "finish",
    description: `Ends the work with its result. ${commits}Call it once everything is done and checked.`,
    input: z.strictObject({
      type: z.string().trim().min(1).max(200).describe(`The type of the result. ${type}`),
      payload: z
        .string()
        .optional()
        .describe(`The result as text. Leave it out for a ${codeCommitType}.`),
      summary: sentence("One line for people: what you have done."),
      ...(isReadWrite && {
        message: z
          .string()
          .trim()
          .min(1)
          .optional()
          .describe(
            "The commit message: a subject of at most 72 characters, an empty line, then why.",
          ),
      }),
    }),
    use: async (result) => finish(work, { ...result, message: messageIn(result) }),
  });
}

type Result = { type: string; payload?: string | undefined; summary: string; message: string };

function messageIn(result: { summary: string; message?: unknown }): string {
  return typeof result.message === "string" ? result.message : lineOf(result.summary);
}

async function finish(
  { kind, targetType, isReadWrite, workspace }: Work,
  { type, payload, summary, message }: Result,
): Promise<ToolEnd> {
  if (kind === "rework" && type !== targetType)
    return {
      kind: "malformed",
      text: `A new version has the same type: \`type\` must be ${targetType}, not ${type}.`,
    };
  const isCommit = type === codeCommitType;
  if (isCommit && !isReadWrite)
    return output(
      `A ${codeCommitType} is not possible: this agent's workspace is read-only (\`workspace: { mode: ro }\`). Finish with another type and a payload.`,
    );
  if (!isCommit && payload === undefined)
    return { kind: "malformed", text: `\`payload\` is missing: a ${type} needs one.` };
  let content = payload ?? "";
  if (isReadWrite && workspace.head !== undefined) {
    const done = await commitChanges(workspace, message);
    if (!done.ok) return output(`Not finished. ${done.reason}`);
    if (isCommit) {
      if (done.commit === undefined)
        return output(
          "Nothing has changed in the workspace, so there is nothing to commit. Make the change first, or finish with another type and a payload that says why there is none.",
        );
      content = done.commit;
    }
  } else if (isCommit) {
    return output(
      "The workspace has no repository with a commit, so there is nothing to commit to. Finish with another type and a payload.",
    );
  }
  return ended({ artefact_type: type, artefact_payload: content, summary: lineOf(summary) });
}

function ended(answer: WorkAnswer): ToolEnd {
  return { kind: "ended", answer };
}

/** The first line, for lists. */
function lineOf(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  return (line.length > 200 ? `${line.slice(0, 199)}…` : line).toWellFormed();
}

// All tools of the MCP server, in the order in which an assistant sees them.
import type { z } from "zod";
import { listArtefacts, postArtefactTool, readArtefact, readChanges } from "./artefacts.ts";
import { cancel, retry } from "./control.ts";
import { listGoals, postGoalTool, readGoalTool, waitForGoalTool } from "./goals.ts";
import { answerQuestion, approve, listQuestions, reject, tellTool } from "./people.ts";
import type { Tool } from "./tool.ts";

/** Each runs with what its own `args` have read, so that the list need not know their types. */
export const allTools = [
  ...[postGoalTool, waitForGoalTool, readGoalTool, listGoals],
  ...[listArtefacts, readArtefact, readChanges, postArtefactTool],
  ...[listQuestions, answerQuestion, tellTool, approve, reject],
  ...[cancel, retry],
] as unknown as readonly Tool<z.ZodRawShape>[];

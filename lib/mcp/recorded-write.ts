// Puts each call of a tool that writes on record, once, with the goal that it is about, also where
// it is refused.
import type { GoalId } from "../model/ids.ts";
import type { McpDeps } from "./deps.ts";
import type { Call } from "./tools/tool.ts";

/** `record` undefined: for tools that only read, and where what they write is record enough. */
export async function recordedWrite<Result>(
  tool: string,
  record: McpDeps["recordWrite"],
  run: (parts: Pick<Call, "about" | "written">) => Promise<Result>,
): Promise<Result> {
  let goal: GoalId | undefined;
  let isRecorded = record === undefined;
  const recordOnce = async (refusal: { error?: unknown } = {}) => {
    if (isRecorded) return;
    isRecorded = true;
    await record?.({ tool, goal, ...refusal });
  };
  const about = (id: GoalId) => {
    goal = id;
  };
  try {
    const result = await run({ about, written: () => recordOnce() });
    await recordOnce();
    return result;
  } catch (error) {
    await recordOnce({ error });
    throw error;
  }
}

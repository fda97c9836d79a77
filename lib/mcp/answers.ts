// Results of tools: data as JSON, and failures as sentences that an assistant can act on.
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { messageOf, SettError } from "../model/errors.ts";

export function answer(data: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(data) }], structuredContent: data };
}

/** Advice about an option of the command line, about the argument of the tool that has its name. */
function forAssistant(hint: string): string {
  return hint.replaceAll("Leave out --id to", "Leave out `id` to");
}

/**
 * The error of a tool, with its code and what to do next. An assistant sees it; the connection goes
 * on.
 */
export async function answerOrExplain(
  run: () => Promise<Record<string, unknown>>,
): Promise<CallToolResult> {
  try {
    return answer(await run());
  } catch (error) {
    const known = error instanceof SettError ? error : undefined;
    const hint = known?.hint === undefined ? "" : ` ${forAssistant(known.hint)}`;
    return {
      isError: true,
      content: [
        { type: "text", text: `${messageOf(error)}${hint} (${known?.code ?? "internal"})` },
      ],
    };
  }
}

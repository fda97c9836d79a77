// The tools of MCP servers that sett.yml allows the agent. The gateway has them in one place, where
// a request is whole in itself, so that the worker needs no sessions.
import { z } from "zod";
import { messageOf } from "../../../lib/model/errors.ts";
import { cutMiddle } from "./cut-middle.ts";
import { markData } from "./mark-data.ts";
import { output, type Tool } from "./tool.ts";
import { maxOutputLength } from "./tools/run.ts";
import type { WorkAnswer } from "./work-answer.ts";

type Place = { url: string; token: string };

const Listed = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string().default(""),
      inputSchema: z.record(z.string(), z.unknown()),
    }),
  ),
});

const Called = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  isError: z.boolean().optional(),
  _meta: z.object({ "sett/waits": z.boolean().optional() }).optional(),
});

const Reply = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

const listMs = 90_000;

/**
 * None where the gateway does not list them: the work may do without. `keep` keeps what the work
 * has changed, where it ends because a call waits for a person. Where it says why it cannot, the
 * work goes on until it can.
 */
export async function outsideTools(
  place: Place,
  { log, keep }: { log: (line: string) => void; keep: () => Promise<string | undefined> },
  signal: AbortSignal,
): Promise<Tool[]> {
  try {
    const until = AbortSignal.any([signal, AbortSignal.timeout(listMs)]);
    const { tools } = Listed.parse(await ask(place, "tools/list", {}, until));
    return tools.map(({ name, description, inputSchema: schema }) => ({
      ...{ name, description, schema },
      use: async (input, own) => {
        const args = typeof input === "object" && input !== null ? input : {};
        const answer = Called.parse(await ask(place, "tools/call", { name, arguments: args }, own));
        if (answer._meta?.["sett/waits"] !== true) return output(textOf(name, answer));
        const lost = await keep();
        if (lost === undefined) return { kind: "ended", answer: waitingFor(name) };
        return output(
          `A person has to allow this call, and what you have changed cannot be kept until then. ${lost} Then make the same call again.`,
        );
      },
    }));
  } catch (error) {
    signal.throwIfAborted();
    log(`The tools of MCP servers cannot be used: ${messageOf(error)}`);
    return [];
  }
}

/** The record has the call: the orchestrator puts it in place of these words. */
function waitingFor(name: string): WorkAnswer {
  const sentence = `A person has to allow a call of \`${name}\`.`;
  return { structural_type: "Question", payload: sentence, summary: sentence };
}

/** What others have written is data, an error too. */
function textOf(name: string, { content, isError }: z.infer<typeof Called>): string {
  const parts = content.map(({ type, text }) => text ?? `[${type}, which is not shown]`);
  const marked = markData({ from: `tool ${name}` }, cutMiddle(parts.join("\n"), maxOutputLength));
  return isError === true ? `\`${name}\` says that it failed:\n${marked}` : marked;
}

async function ask(
  { url, token }: Place,
  method: string,
  params: object,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal,
  });
  const text = await response.text();
  const { result, error } = Reply.parse(JSON.parse(text));
  if (error !== undefined) throw new Error(error.message);
  if (!response.ok) throw new Error(`The gateway answered with ${response.status}.`);
  return result;
}

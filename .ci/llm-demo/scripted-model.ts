// A server that plays the model's part with Anthropic's Messages API, from a script: nothing on it
// is a model.
import { works as demoWorks, type Turn, type Work } from "./script.ts";

type Block = { type: string; [key: string]: unknown };
type MessagesBody = {
  model?: string;
  system?: unknown;
  messages: { role: string; content: unknown }[];
  tool_choice?: { name?: string };
};

/** `problem`: a request that the script does not know. */
export function startScriptedModel(works: readonly Work[] = demoWorks) {
  const problems: string[] = [];
  /** It is not random, so that a second recording makes the same files. */
  let ids = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      // `sett up` looks whether the provider is there.
      if (request.method === "GET") return Response.json({ data: [] });
      const text = await request.text();
      const body: MessagesBody = JSON.parse(text);
      const content =
        body.tool_choice?.name === "bid" ? [bidOf(body)] : blocksOf(turnOf(body, works));
      ids++;
      if (content === undefined) {
        problems.push(text.slice(0, 2_000));
        return Response.json(
          {
            type: "error",
            error: { type: "not_found_error", message: "It is not in the script." },
          },
          { status: 404 },
        );
      }
      return Response.json({
        id: `msg_demo_${ids}`,
        type: "message",
        role: "assistant",
        model: "claude-sonnet-5",
        content: content.map((block) =>
          block.type === "tool_use" ? { ...block, id: `toolu_demo_${ids}` } : block,
        ),
        stop_reason: "tool_use",
        stop_sequence: null,
        // About four characters are a token.
        usage: {
          input_tokens: Math.ceil(text.length / 4),
          output_tokens: Math.ceil(JSON.stringify(content).length / 4),
        },
      });
    },
  });
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    problems,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function bidOf({ messages }: MessagesBody): Block {
  const isGoal = /"type": "GoalDefined"/.test(
    JSON.stringify(messages).replaceAll('\\"', '"').split("goal_and_chain")[0] ?? "",
  );
  const input = isGoal
    ? { word: "exclusive", reason: "The goal asks for a change of the repository's code." }
    : { word: "ignore", reason: "It is no goal that asks for a change." };
  return toolUse("bid", input);
}

/**
 * The n-th answer of a conversation is the n-th turn of the work that its first message asks for.
 */
function turnOf(
  { model = "", system, messages }: MessagesBody,
  works: readonly Work[],
): Turn | undefined {
  const first = JSON.stringify(messages[0]);
  const work = works.find(
    ({ agent, model: asked, task }) =>
      agent.test(JSON.stringify(system)) &&
      (asked === undefined || asked.test(model)) &&
      task.test(first.replaceAll('\\"', '"')),
  );
  return work?.turns[messages.filter(({ role }) => role === "assistant").length];
}

function blocksOf(turn: Turn | undefined): Block[] | undefined {
  if (turn === undefined) return undefined;
  const { say, tool, input } = turn;
  return [...(say === "" ? [] : [{ type: "text", text: say }]), toolUse(tool, input)];
}

function toolUse(name: string, input: unknown): Block {
  return { type: "tool_use", name, input };
}

// Finds in a message to the MCP server the writes that it refuses before any tool runs: without the
// right, or with wrong arguments.
import { z } from "zod";
import type { Right } from "../model/api-access.ts";
import { SettError } from "../model/errors.ts";
import type { Write } from "./deps.ts";
import { allTools } from "./tools/all-tools.ts";

const writing = new Map(
  allTools
    .filter(({ annotations }) => annotations.readOnlyHint !== true)
    .map(({ name, right, args }) => [name, { right, args: z.object(args) }]),
);

const Message = z.looseObject({
  method: z.literal("tools/call"),
  params: z.looseObject({ name: z.string(), arguments: z.unknown().optional() }),
});

/** `body`: of a request, one message or several. */
export function refusedWrites(body: unknown, rights: ReadonlySet<Right>): Write[] {
  return (Array.isArray(body) ? body : [body]).flatMap((one): Write[] => {
    const message = Message.safeParse(one);
    if (!message.success) return [];
    const { name: tool, arguments: args = {} } = message.data.params;
    const known = writing.get(tool);
    if (known === undefined) return [];
    if (!rights.has(known.right))
      return [
        {
          tool,
          goal: undefined,
          error: new SettError("not-allowed", `${tool} needs the right ${known.right}.`),
        },
      ];
    const isRight = known.args.safeParse(args).success;
    return isRight
      ? []
      : [
          {
            tool,
            goal: undefined,
            error: new SettError("usage", `The arguments of ${tool} are wrong.`),
          },
        ];
  });
}

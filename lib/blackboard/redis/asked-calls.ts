// Calls of tools that wait for a person, in Redis.
import { AskedCall, maxAskedCalls } from "../../model/asked-call.ts";
import { ArtefactId } from "../../model/ids.ts";
import { parseJson } from "../../model/json.ts";
import type { AskedCallBoard } from "../port/asked-calls.ts";
import type { Deps } from "./deps.ts";

export function askedCallsOf({ connection, keys, call, onUnreadable }: Deps): AskedCallBoard {
  return {
    async askCall({ goal, token, call: wanted }) {
      const reply = await call(
        "askCall",
        { asked_calls: keys.askedCalls(goal) },
        { token, ...wanted, max: maxAskedCalls },
      );
      switch (reply.outcome) {
        case "refused":
          return { outcome: "refused", reason: reply.reason, isEnded: reply.is_ended === "1" };
        case "allowed":
          return { outcome: "allowed", answer: ArtefactId.parse(reply.answer) };
        case "denied":
          return { ...reply, answer: ArtefactId.parse(reply.answer) };
        default:
          return reply;
      }
    },

    async readAskedCalls(goal) {
      const key = keys.askedCalls(goal);
      const fields = await connection.run((client) => client.hGetAll(key));
      return Object.entries(fields).flatMap(([field, text]) => {
        if (field.startsWith("count:")) return [];
        const read = parsed(text);
        if (read === undefined) onUnreadable(`a call of a tool at ${key}`);
        return read ?? [];
      });
    },

    decideCall: ({ epoch, goal, call: asked, isAllowed, answer, words }) =>
      call(
        "decideCall",
        { orchestrator: keys.orchestrator, asked_calls: keys.askedCalls(goal) },
        {
          ...{ epoch, id: asked.id, claim: asked.claim_id, agent: asked.agent },
          ...{ digest: asked.digest, state: isAllowed ? "allowed" : "refused", answer, words },
        },
      ),
  };
}

function parsed(text: string): AskedCall | undefined {
  return AskedCall.safeParse(parseJson(text)).data;
}

// Mistakes of the mail: what agents send, and the answers to it.
import { MailHandler } from "../../../apps/orchestrator/mail/mail-handler.ts";
import { ResultStore } from "../../../apps/orchestrator/mail/result-store.ts";
import { wholeResult } from "../../../lib/blackboard/mail/mailed-result.ts";
import { Connection } from "../../../lib/blackboard/redis/connection.ts";
import type { Defect } from "../planting.ts";

export const mailDefects: readonly Defect[] = [
  {
    // Where it is lost once, it comes with the next time that it is sent.
    name: "every tenth message is lost, however often it is sent",
    plant: (planting) => {
      const known = new Map<string, number>();
      planting.call("sendMail", async (original, agent, message) => {
        const count = known.get(message.id) ?? known.size;
        known.set(message.id, count);
        if (count % 10 !== 9) await original(agent, message);
      });
    },
  },
  {
    name: "a message is removed without an answer",
    plant: (planting) =>
      planting.call("answerMail", (original, mail, _text, readOn) =>
        original(mail, undefined, readOn),
      ),
  },
  {
    name: "an answered message stays",
    plant: (planting) => planting.lua("  remove_mail(args.agent, args.place)\n", ""),
  },
  {
    name: "a message changes nothing, and is answered with yes",
    plant: (planting) =>
      planting.method(MailHandler.prototype, "apply", async () => ({ outcome: "yes" as const })),
  },
  {
    name: "a message without an answer is never sent again",
    needs: "crash redis",
    // A message keeps its id when it is sent again.
    plant: (planting) => {
      const sent = new Set<string>();
      planting.call("sendMail", async (original, agent, message) => {
        if (sent.has(message.id)) return;
        sent.add(message.id);
        await original(agent, message);
      });
    },
  },
  {
    name: "an agent's result is what it says it is",
    needs: "forge mail",
    plant: (planting) =>
      planting.method(
        ResultStore.prototype,
        "read",
        async (original, _store, mailed, fresh, work) => {
          const result = await original(mailed, fresh, work);
          const { agent, phase } = work.grant;
          if (typeof result !== "string") return result;
          return wholeResult(
            mailed,
            { claim: work.claim, grant: { agent, phase }, role: agent, target: undefined },
            fresh,
          );
        },
      ),
  },
  {
    name: "a grant is taken, and nothing says so",
    plant: (planting) =>
      planting.lua(
        "local place = redis.call('XADD', keys.mail, '*', 'id', id, 'text', text)",
        "local place = redis.call('XADD', keys.mail, '*', 'id', id, 'text', text)\n  redis.call('XDEL', keys.mail, place)",
      ),
  },
  {
    name: "what was read on one connection is written on a later one",
    needs: "crash redis",
    isRare: true,
    plant: (planting) =>
      planting.method(Connection.prototype, "run", (original, _connection, work) => original(work)),
  },
];

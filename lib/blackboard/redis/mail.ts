// The agents' mail in Redis: two streams for each agent. Its user of Redis may add to one of them
// and read the other, and has no right to those of others.
import { ErrorReply } from "redis";
import { AgentName } from "../../model/ids.ts";
import { isLater } from "../../model/stream-id.ts";
import type { DroppedMail, MailAnswer, MailBoard } from "../port/mail-port.ts";
import type { Client } from "./client.ts";
import type { Deps } from "./deps.ts";
import { batchSize, followReads } from "./follow.ts";
import { MailBacklog } from "./mail-backlog.ts";
import { MailReader } from "./mail-reader.ts";
import { RungStream } from "./rung-stream.ts";
import { beginningOf, endOf } from "./streams.ts";
import { prefixOfUser, userNameOf } from "./users.ts";

/**
 * The user of an agent that was removed may be gone, and where Redis has no users all connections
 * are the owner's.
 */
function unlessGone(error: unknown): void {
  if (!(error instanceof ErrorReply && /^ERR No such user/.test(error.message))) throw error;
}

export function mailOf({ connection, keys, call, callOn, user }: Deps): MailBoard {
  const prefix = prefixOfUser(user);
  const readNames = async (client: Client): Promise<AgentName[]> => {
    const names = await Promise.all([client.hKeys(keys.agents), client.hKeys(keys.senders)]);
    return [...new Set(names.flat())].flatMap((name) => AgentName.safeParse(name).data ?? []);
  };
  return {
    async sendMail(agent, { id, text }) {
      await connection.run((client) => client.xAdd(keys.mailOut(agent), "*", { id, text }));
    },

    followMailAnswers(agent, signal, onFresh) {
      let last = "0";
      const stream = new RungStream(keys.mailIn(agent));
      return followReads(connection, signal, async (client, isFresh) => {
        if (isFresh) {
          last = await endOf(client, keys.mailIn(agent));
          onFresh();
        }
        const entries = await stream.readAfter(client, last);
        // More are kept than one read brings: where one is missing after the last, this read is
        // full.
        if (
          entries.length === batchSize &&
          isLater(await beginningOf(client, keys.mailIn(agent)), last)
        )
          onFresh();
        last = entries.at(-1)?.id ?? last;
        return entries.flatMap(({ message: { re, text } }): MailAnswer[] =>
          re && text ? [{ re, text }] : [],
        );
      });
    },

    async *followMail(signal, isBusy) {
      const backlog = new MailBacklog(call, keys);
      const reader = new MailReader({ connection, keys, backlog, readNames }, isBusy, signal);
      try {
        yield* followReads(connection, signal, (client, isFresh) => reader.read(client, isFresh));
      } finally {
        reader.close();
      }
    },

    async roleOfSender(agent) {
      return (await connection.run((client) => client.hGet(keys.senders, agent))) ?? undefined;
    },

    async answerMail({ agent, place, id }, text, readOn) {
      await callOn(readOn)("answerMail", {}, { agent, place, id, text });
    },

    async reopenMail(epoch, agents) {
      const { orchestrator, pausedMail: paused_mail, pausedGoals: paused_goals } = keys;
      const reopened: AgentName[] = [];
      for (const agent of agents ?? (await connection.run(readNames))) {
        const stored = { orchestrator, mail: keys.mailOut(agent), paused_mail, paused_goals };
        const { outcome } = await call("reopenMail", stored, { epoch, agent });
        if (outcome === "fenced") return { outcome };
        if (outcome === "reopened") reopened.push(agent);
      }
      return { outcome: "done", reopened };
    },

    async dropMail(maxBytes) {
      const dropped: DroppedMail[] = [];
      for (const agent of await connection.run(readNames)) {
        const ofAgent = {
          mail: keys.mailOut(agent),
          taken: keys.agentTaken(agent),
          status: keys.agentStatus(agent),
        };
        const stored = { ...ofAgent, probe: keys.probe };
        const reply = await call("dropMail", stored, { max_bytes: maxBytes });
        if (reply.outcome === "kept") continue;
        const kill = ["CLIENT", "KILL", "USER", userNameOf({ role: "agent", agent }, prefix)];
        await connection.run((client) => client.sendCommand(kill).catch(unlessGone));
        dropped.push({ agent, messages: Number(reply.messages), bytes: Number(reply.bytes) });
      }
      return dropped;
    },
  };
}

// The agents' mail in Redis: two streams for each agent. Its user of Redis may add to one of them and read the other, and has no right to those of others.
import { ErrorReply } from "redis";
import { sleep } from "../../async/sleep.ts";
import { AgentName } from "../../model/ids.ts";
import type { DroppedMail, MailAnswer, MailBoard } from "../mail-port.ts";
import type { Client } from "./client.ts";
import type { Deps } from "./deps.ts";
import { blockMs, followReads } from "./follow.ts";
import { MailBacklog, mailOfEntry } from "./mail-backlog.ts";
import { endOf, readAfter, type StreamEntry } from "./streams.ts";
import { userNameOf } from "./users.ts";

/** Of each agent at once, so that one who sends very much does not keep the others waiting. */
const mailsOfEach = 50;
/** Where an agent must wait until what it has sent is dealt with. */
const backlogEveryMs = 100;

/** The user of an agent that was removed may be gone, and where Redis has no users all connections are the owner's. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ErrorReply && /^ERR No such user/.test(error.message))) throw error;
}

export function mailOf({ connection, keys, call, callOn }: Deps): MailBoard {
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
      return followReads(connection, signal, async (client, isFresh) => {
        if (isFresh) {
          last = await endOf(client, keys.mailIn(agent));
          onFresh();
        }
        const entries = await readAfter(client, keys.mailIn(agent), last);
        last = entries.at(-1)?.id ?? last;
        return entries.flatMap(({ message: { re, text } }): MailAnswer[] => (re && text ? [{ re, text }] : []));
      });
    },

    followMail(signal, isBusy) {
      const places = new Map<AgentName, string>();
      const backlog = new MailBacklog(call, keys);
      let [names, isIdle]: [AgentName[], boolean] = [[], false];
      return followReads(connection, signal, async (client, isFresh) => {
        if (isFresh || isIdle) names = await readNames(client);
        if (isFresh) places.clear();
        backlog.add(isFresh ? names : names.filter(isBusy));
        const first = await backlog.read(places, isBusy);
        const senders = names.filter((name) => !backlog.has(name));
        if (senders.length === 0) {
          if (first.length === 0) await sleep(backlogEveryMs, signal);
          return first;
        }
        const streams = senders.map((name) => ({ key: keys.mailOut(name), id: places.get(name) ?? "0" }));
        // node-redis types what it reads from several streams as unknown.
        const wait = first.length > 0 ? {} : { BLOCK: backlog.size > 0 ? backlogEveryMs : blockMs };
        const reply = await client.xRead(streams, { ...wait, COUNT: mailsOfEach });
        isIdle = reply === null;
        const found = (reply ?? []) as { name: string; messages: StreamEntry[] }[];
        const agentOf = new Map(senders.map((name) => [keys.mailOut(name), name]));
        const next = found.flatMap(({ name, messages }) => {
          const agent = agentOf.get(name);
          if (agent === undefined) return [];
          places.set(agent, messages.at(-1)?.id ?? places.get(agent) ?? "0");
          return messages.map(({ id, message }) => mailOfEntry(agent, id, message));
        });
        return [...first, ...next];
      });
    },

    async roleOfSender(agent) {
      return (await connection.run((client) => client.hGet(keys.senders, agent))) ?? undefined;
    },

    async answerMail({ agent, place, id }, text, readOn) {
      await callOn(readOn)("answerMail", {}, { agent, place, id, text });
    },

    async dropMail(maxBytes) {
      const dropped: DroppedMail[] = [];
      for (const agent of await connection.run(readNames)) {
        const stored = { mail: keys.mailOut(agent), taken: keys.agentTaken(agent) };
        const reply = await call("dropMail", stored, { max_bytes: maxBytes });
        if (reply.outcome === "kept") continue;
        const kill = ["CLIENT", "KILL", "USER", userNameOf({ role: "agent", agent })];
        await connection.run((client) => client.sendCommand(kill).catch(unlessGone));
        dropped.push({ agent, messages: Number(reply.messages), bytes: Number(reply.bytes) });
      }
      return dropped;
    },
  };
}

// The agents' mail in memory.
import type { AgentName } from "../../model/ids.ts";
import type { Mail, MailBoard } from "../port/mail-port.ts";
import type { Contact, EnsureOn } from "./contact.ts";
import type { IsFenced } from "./leader.ts";
import { entriesAfter } from "./mail-state.ts";
import { follow } from "./notifier.ts";
import type { State } from "./state.ts";

export function mailOf(
  state: State,
  { onReconnect }: Contact,
  { isFenced, ensureOn, closed }: { isFenced: IsFenced; ensureOn: EnsureOn; closed: AbortSignal },
): MailBoard {
  return {
    async sendMail(agent, message) {
      state.mail.send(agent, message, state.now());
      state.changed.notify();
    },

    async *followMailAnswers(agent, signal, onFresh) {
      let last = state.mail.in.get(agent)?.at(-1)?.place ?? "0-0";
      onFresh();
      const unsubscribe = onReconnect(onFresh);
      const nextBatch = () => {
        const batch = entriesAfter(state.mail.in.get(agent), last);
        last = batch.at(-1)?.place ?? last;
        return batch.map(({ re, text }) => ({ re, text }));
      };
      try {
        yield* follow(nextBatch, state.changed, AbortSignal.any([signal, closed]));
      } finally {
        unsubscribe();
      }
    },

    async *followMail(signal, isBusy) {
      const places = new Map<AgentName, string>();
      const unsubscribe = onReconnect(() => {
        places.clear();
        state.changed.notify();
      });
      const nextBatch = () =>
        [...new Set([...state.agents.keys(), ...state.senders.keys()])].flatMap((agent): Mail[] => {
          if (isBusy(agent)) return [];
          const last = places.get(agent) ?? "0-0";
          const found = entriesAfter(state.mail.out.get(agent), last);
          places.set(agent, found.at(-1)?.place ?? last);
          return found.map((mail) => ({ agent, ...mail }));
        });
      try {
        yield* follow(nextBatch, state.changed, AbortSignal.any([signal, closed]));
      } finally {
        unsubscribe();
      }
    },

    async roleOfSender(agent) {
      return state.senders.get(agent);
    },

    async answerMail({ agent, place, id }, text, readOn) {
      ensureOn(readOn);
      if (text !== undefined) state.mail.answer(agent, { re: id, text }, state.now());
      state.mail.remove(agent, place);
      state.changed.notify();
    },

    // Places in the twin are made by its clock alone.
    async reopenMail(epoch) {
      return isFenced(epoch) ? { outcome: "fenced" } : { outcome: "done", reopened: [] };
    },

    async dropMail(maxBytes) {
      return [...state.mail.out].flatMap(([agent, sent]) => {
        const bytes = sent.reduce((sum, { id, text }) => sum + id.length + text.length, 0);
        if (bytes <= maxBytes) return [];
        state.mail.out.set(agent, []);
        state.mail.taken.delete(agent);
        return [{ agent, messages: sent.length, bytes }];
      });
    },
  };
}

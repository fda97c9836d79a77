// The twin in memory, for the suite.
import { createMemoryBlackboard } from "../../../lib/blackboard/memory/create.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import type { Bench } from "./bench.ts";

export async function openMemoryBench(): Promise<Bench> {
  let backMs = 0;
  const memory = createMemoryBlackboard({
    instance: InstanceName.parse("test"),
    now: () => Date.now() - backMs,
  });
  const board = memory.open();
  return {
    board,
    another: async () => memory.open(),
    reconnect: async () => memory.reconnect(),
    hand: {
      writeArtefact: async (id, fields) => memory.hand.writeArtefact(id, fields),
      readArtefact: async (id) => memory.hand.readArtefact(id),
      removeArtefact: async (id) => memory.hand.removeArtefact(id),
      publish: async (text) => memory.hand.publish(text),
      readBids: async (claim) => memory.hand.readBids(claim),
      breakClaim: async (claim) => memory.hand.breakClaim(claim),
      mendClaim: async (claim) => memory.hand.mendClaim(claim),
      writeRegistration: async (agent, text) => memory.hand.writeRegistration(agent, text),
      writeEvent: async (entry) => memory.hand.writeEvent(entry),
      removeEvent: async (id) => memory.hand.removeEvent(id),
      writeAnnouncement: async (entry) => memory.hand.writeAnnouncement(entry),
      writeDue: async (member, at) => memory.hand.writeDue(member, at),
      setBack: async (ms) => {
        backMs += ms;
      },
    },
    [Symbol.asyncDispose]: async () => board[Symbol.asyncDispose](),
  };
}

// The blackboard on a small Redis in memory, for the suite.
import { InstanceName } from "../../../lib/model/ids.ts";
import type { Bench } from "./bench.ts";
import { blackboardInMemory } from "./in-memory.ts";

export async function openInMemoryBench(): Promise<Bench> {
  let backMs = 0;
  const instance = InstanceName.parse("test");
  const memory = blackboardInMemory({ instance, now: () => Date.now() - backMs });
  const board = await memory.open();
  return {
    board,
    another: memory.open,
    reconnect: memory.reconnect,
    hand: {
      ...memory.hand,
      setBack: (ms) => {
        backMs += ms;
      },
    },
    [Symbol.asyncDispose]: async () => board[Symbol.asyncDispose](),
  };
}

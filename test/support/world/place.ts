// Says where a clan's blackboard is: in memory, or (redis-place.ts) in a real Redis.

import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { blackboardInMemory } from "../blackboard/in-memory.ts";

/**
 * Each call of `open` gives another handle on the same blackboard, as another process would have.
 */
export type Place = { open(): Promise<Blackboard> };

export function placeInMemory() {
  const memory = blackboardInMemory({ instance: InstanceName.parse("test") });
  return { memory, open: async () => await memory.open() };
}

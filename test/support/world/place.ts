// Says where a clan's blackboard is: in memory, or (redis-place.ts) in a real Redis.
import { createMemoryBlackboard } from "../../../lib/blackboard/memory/create.ts";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import { InstanceName } from "../../../lib/model/ids.ts";

/**
 * Each call of `open` gives another handle on the same blackboard, as another process would have.
 */
export type Place = { open(): Promise<Blackboard> };

export function placeInMemory() {
  const memory = createMemoryBlackboard({ instance: InstanceName.parse("test") });
  return { memory, open: async () => memory.open() };
}

import type { Call } from "../call.ts";
import type { World } from "../world.ts";

/** One way to go on; undefined where nothing fits. `weight`: how often, by all others. */
export type Move = { weight: number; make(world: World): Call | undefined };

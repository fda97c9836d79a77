// One delivery to `/hooks/NAME`, and what becomes of it.
import type { GoalId } from "../model/ids.ts";

export type Fired = { goal: GoalId; isNew: boolean };

/** A header of the request, by its name in lower case. */
export type Header = (name: string) => string | undefined;

/**
 * `readBody`: reads the body, which `onPart` sees as it comes, and throws where it is too large or
 * too slow. `waitOf`: asked once it is known who sends; how many seconds they must wait, undefined
 * for none.
 */
export type Delivery = {
  header: Header;
  readBody(onPart: (part: Uint8Array) => void): Promise<Uint8Array>;
  waitOf(): number | undefined;
};

/**
 * `skipped`: it states no goal, and the reason says why. `ping`: the forge has tried the address.
 * `too-many`: it may come again in so many seconds.
 */
export type HookOutcome =
  | ({ outcome: "fired" } & Fired)
  | { outcome: "skipped"; reason: string }
  | { outcome: "ping" }
  | { outcome: "too-many"; seconds: number };

// Changes what the programs or the blackboard do, from outside and for a while: how a mistake of
// the protocol is planted.
import type { State } from "../../lib/blackboard/memory/state.ts";
import type { Blackboard } from "../../lib/blackboard/port/blackboard.ts";
import type { Fault } from "./faults.ts";
import { SimulatedRedis } from "./simulated-redis.ts";

/**
 * A mistake that the simulation must notice. Its name says what is wrong. `needs`: no schedule
 * without this fault can show it. `isRare`: only one of many hundreds does.
 */
export type Defect = {
  name: string;
  needs?: Fault["kind"];
  isRare?: true;
  plant: (planting: Planting) => void;
};

type Method<Target, Name extends keyof Target> = Target[Name] extends (
  ...args: infer Args
) => infer Result
  ? { args: Args; result: Result; call: (...args: Args) => Result }
  : never;

/** The place where a call arrives. */
export type Place = { state: State; nonce: string; handle: Blackboard };

export class Planting implements Disposable {
  readonly #undo: (() => void)[] = [];

  /** Replaces a method of a class, or of an object. */
  method<Target extends object, Name extends keyof Target>(
    target: Target,
    name: Name,
    replace: (
      original: Method<Target, Name>["call"],
      self: Target,
      ...args: Method<Target, Name>["args"]
    ) => Method<Target, Name>["result"],
  ): void {
    const original = target[name] as (...args: unknown[]) => unknown;
    const replacement = function (this: Target, ...args: Method<Target, Name>["args"]) {
      return replace(original.bind(this) as Method<Target, Name>["call"], this, ...args);
    };
    target[name] = replacement as Target[Name];
    this.#undo.push(() => {
      target[name] = original as Target[Name];
    });
  }

  /**
   * Replaces a call of the port, where it arrives. It is done in one step, as every call: nothing
   * may be waited for.
   */
  call<Name extends keyof Blackboard>(
    name: Name,
    replace: (
      original: Method<Blackboard, Name>["call"],
      place: Place,
      ...args: Method<Blackboard, Name>["args"]
    ) => Method<Blackboard, Name>["result"],
  ): void {
    this.method(SimulatedRedis.prototype, "handleOf", (original, redis, nonce) => {
      const handle = original(nonce);
      const place = { state: redis.state, nonce, handle };
      const call = (...args: Method<Blackboard, Name>["args"]) =>
        replace(handle[name] as Method<Blackboard, Name>["call"], place, ...args);
      return { ...handle, [name]: call };
    });
  }

  [Symbol.dispose](): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }
}

/** Does the work while the target has these values, and takes them back. */
export function meanwhile<Target extends object, Result>(
  target: Target,
  values: Partial<Target>,
  work: () => Result,
): Result {
  const own = new Set(Object.keys(target));
  const before: Partial<Target> = {};
  for (const name of Object.keys(values) as (keyof Target)[]) before[name] = target[name];
  Object.assign(target, values);
  try {
    return work();
  } finally {
    for (const name of Object.keys(values) as (keyof Target & string)[])
      if (own.has(name)) Object.assign(target, { [name]: before[name] });
      else delete target[name];
  }
}

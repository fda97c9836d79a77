// Changes what the programs or the blackboard do, from outside and for a while: how a mistake of
// the protocol is planted.
import type { Blackboard } from "../../lib/blackboard/port/blackboard.ts";
import { RedisInMemory } from "../support/redis-in-memory/server.ts";
import type { Fault } from "./faults.ts";
import { simulated } from "./simulated-board.ts";

/**
 * A mistake that the simulation must notice. Its name says what is wrong. `needs`: no schedule
 * without this fault can show it. `isRare`: only one of many hundreds does.
 */
export type Defect = {
  name: string;
  needs?: Fault["kind"] | undefined;
  isRare?: true;
  plant: (planting: Planting) => void;
};

type Method<Target, Name extends keyof Target> = Target[Name] extends (
  ...args: infer Args
) => infer Result
  ? { args: Args; result: Result; call: (...args: Args) => Result }
  : never;

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

  /** Replaces a call of the port, as each program makes it. */
  call<Name extends keyof Blackboard>(
    name: Name,
    replace: (
      original: Method<Blackboard, Name>["call"],
      ...args: Method<Blackboard, Name>["args"]
    ) => Method<Blackboard, Name>["result"],
  ): void {
    this.method(simulated, "boardOf", (original, _self, board) => {
      const connected = original(board);
      const call = connected[name] as Method<Blackboard, Name>["call"];
      return {
        ...connected,
        [name]: (...args: Method<Blackboard, Name>["args"]) => replace(call, ...args),
      };
    });
  }

  /** Writes `right` otherwise wherever it is in the Lua functions, as they are loaded. */
  lua(right: string, wrong: string): void {
    this.method(RedisInMemory.prototype, "sourceOf", (original, _server, source) => {
      const before = original(source);
      if (!before.includes(right)) throw new Error(`The Lua functions have no longer: ${right}`);
      return before.replaceAll(right, wrong);
    });
  }

  [Symbol.dispose](): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }
}

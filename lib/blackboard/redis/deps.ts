import type { Actor } from "../../model/event.ts";
import type { AgentName } from "../../model/ids.ts";
import type { Keys } from "../records/keys.ts";
import type { Call } from "./call.ts";
import type { Connection } from "./connection.ts";

/** The needs of the port's parts. */
export type Deps = {
  connection: Connection;
  keys: Keys;
  /** Calls a Lua function; repeated when contact breaks. */
  call: Call;
  /** The same, not repeated. */
  callOnce: Call;
  /**
   * The same, on the connection of this number alone: rejects with LaterConnection on another one.
   * Undefined: on any.
   */
  callOn: (connectionNumber: number | undefined) => Call;
  /** An entry of a stream, or a record, was skipped because it cannot be read. */
  onUnreadable: (what: string) => void;
  /** The name of the user of Redis; empty for the owner. */
  user: string;
  /**
   * The actor that this program is when it acts for an agent. `host`: where the agent runs, if not
   * here.
   */
  actorOf: (agent: AgentName, host?: string) => Actor;
};

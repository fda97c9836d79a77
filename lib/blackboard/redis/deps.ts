import type { Actor } from "../../model/event.ts";
import type { AgentName } from "../../model/ids.ts";
import type { Keys } from "../keys.ts";
import type { Call } from "./call.ts";
import type { Connection } from "./connection.ts";

/** What each question of the port is answered with. */
export type Deps = {
  connection: Connection;
  keys: Keys;
  /** Calls a Lua function; repeated when contact breaks. */
  call: Call;
  /** The same, not repeated. */
  callOnce: Call;
  /** An entry of a stream, or a record, was passed over because it cannot be read. */
  onUnreadable: (what: string) => void;
  /** Who it is that acts for an agent here. */
  actorOf: (agent: AgentName) => Actor;
};

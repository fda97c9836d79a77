// The options of a connection to Redis.
import type { SettError } from "../../model/errors.ts";
import type { newClient } from "./client.ts";

/** Calls are repeated for about `forMs`, unless the signal aborts: then they are `interrupted`. */
export type Repeat = { forMs: number; signal?: AbortSignal | undefined };

export type ConnectionOptions = {
  url: string;
  /** Names the place to which the port of `url` only leads, for sentences. */
  at?: string | undefined;
  /** Certificates in PEM that sign that of the server, in place of those that everybody knows. */
  ca?: string | undefined;
  /** The key of the instance that no program ever sets. */
  probeKey: string;
  /** How long an answer may take. */
  timeoutMs: number;
  /**
   * How long Redis may be away before the connection is given up; undefined: the first failure to
   * connect is final, or the second one where the first was silence.
   */
  giveUpMs: number | undefined;
  /** How calls are repeated; undefined: for about as long as an answer may take. */
  repeat?: Repeat | undefined;
  /** Ends the attempts to open it; an open connection is not concerned. */
  signal?: AbortSignal | undefined;
  /** True: an open connection is not given up now, however long Redis has been away. */
  isNeeded?: (() => boolean) | undefined;
  /** Called once when an open connection is given up. */
  onLost: (error: SettError) => void;
  /** Makes a client that is not one of the network: for tests without a server. */
  makeClient?: typeof newClient | undefined;
};

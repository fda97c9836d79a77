// A command's access to the world around it; main.ts creates it.

import type { Suggest } from "../../../lib/client/text/suggest.ts";
import type { SettError } from "../../../lib/model/errors.ts";
import type { Messages } from "./messages.ts";
import type { Output } from "./output.ts";

export type Shell = {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** The version of Sett. */
  version: string;
  /**
   * A file inside the released program. Undefined in one that was built for its own machine only,
   * and from sources.
   */
  carried(name: string): Blob | undefined;
  /** Makes a command to type next, for the same instance. */
  suggest: Suggest;
  /** Data, and nothing else. */
  out: Output;
  /** Everything else. */
  err: Output;
  /** Sentences for people, on `err`. */
  messages: Messages;
  stdin: () => AsyncIterable<Uint8Array>;
  /** A person reads `err` and can type: `err` and stdin are terminals. */
  isInteractive: boolean;
  /** Aborts at Ctrl-C, when the terminal is closed, and at a signal of a supervisor. */
  interrupted: AbortSignal;
  /**
   * Sets what the program prints at a second interruption; it then ends at once, and its clean-up
   * stays incomplete. `message` is called at that moment. Undefined: it prints nothing. From this
   * call on, a closed output counts as an interruption: before, the program ends at once.
   */
  onAbandon(message: () => SettError | undefined): void;
};

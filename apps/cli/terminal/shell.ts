// What a command has of the world around it; main.ts makes it.
import type { SettError } from "../../../lib/model/errors.ts";
import type { Suggest } from "../text/suggest.ts";
import type { Messages } from "./messages.ts";
import type { Output } from "./output.ts";

export type Shell = {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Sett's own. */
  version: string;
  /** A file inside this program, as it was handed out. Undefined in one that was built for its own machine, and in sources. */
  carried(name: string): Blob | undefined;
  /** A command to type next, for the same instance. */
  suggest: Suggest;
  /** Data, and nothing else. */
  out: Output;
  /** Everything else. */
  err: Output;
  /** Sentences for people, on `err`. */
  messages: Messages;
  stdin: () => AsyncIterable<Uint8Array>;
  /** A person reads `err` and can type: both it and stdin are terminals. */
  isInteractive: boolean;
  /** Aborts when the person, or a supervisor, has had enough. */
  interrupted: AbortSignal;
  /**
   * What to tell whoever interrupts a second time, asked for at that moment: the program then ends at once and leaves what it
   * was tidying up. Undefined: there is nothing to tell.
   */
  ifAbandoned(tell: () => SettError | undefined): void;
};

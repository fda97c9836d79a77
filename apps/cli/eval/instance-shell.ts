// The shell of what an eval does with one of its instances: it types nothing at the person's
// terminal, and what it says goes into a file.
import { createWriteStream } from "node:fs";
import { createStyle } from "../../../lib/client/text/style.ts";
import { suggestFor } from "../../../lib/client/text/suggest.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { createMessages } from "../terminal/messages.ts";
import type { Output } from "../terminal/output.ts";
import type { Shell } from "../terminal/shell.ts";

/** `folder`: the clone. `log`: the file. */
type Place = { folder: string; log: string; instance: InstanceName };

export type InstanceShell = AsyncDisposable & {
  shell: Shell;
  /** The same, whatever the person interrupts: for what takes the instance away. */
  lasting: Shell;
};

export function instanceShell(outer: Shell, { folder, log, instance }: Place): InstanceShell {
  const file = createWriteStream(log, { flags: "a" });
  // A disk that is full makes no run another one.
  file.on("error", () => undefined);
  const write = async (text: string | Uint8Array) => void file.write(text);
  const output: Output = {
    ...{ isTerminal: false, columns: undefined, style: createStyle(false) },
    ...{ write, writeBytes: write },
  };
  const { REDIS_URL: _url, SETT_INSTANCE_NAME: _name, ...env } = outer.env;
  const shell: Shell = {
    ...outer,
    ...{ env, cwd: folder, out: output, err: output, messages: createMessages(output) },
    ...{ suggest: suggestFor(instance), isInteractive: false, onAbandon: () => undefined },
    stdin: async function* () {},
  };
  return {
    shell,
    lasting: { ...shell, interrupted: new AbortController().signal },
    [Symbol.asyncDispose]: () => new Promise((resolve) => file.end(() => resolve())),
  };
}

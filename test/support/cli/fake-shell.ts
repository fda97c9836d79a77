// A command's shell that keeps what is written, for commands run inside the test.

import { createMessages } from "../../../apps/cli/terminal/messages.ts";
import type { Output } from "../../../apps/cli/terminal/output.ts";
import type { Shell } from "../../../apps/cli/terminal/shell.ts";
import { createStyle } from "../../../lib/client/text/style.ts";
import { suggestFor } from "../../../lib/client/text/suggest.ts";

export type FakeShell = Shell & { written: { out: string; err: string } };

export function fakeShell(): FakeShell {
  const written = { out: "", err: "" };
  const output = (stream: "out" | "err"): Output => ({
    isTerminal: false,
    columns: undefined,
    style: createStyle(false),
    write: async (text) => {
      written[stream] += text;
    },
    writeBytes: async (bytes) => {
      written[stream] += Buffer.from(bytes).toString();
    },
  });
  const err = output("err");
  return {
    env: {},
    cwd: "/",
    version: "1.2.3",
    carried: () => undefined,
    suggest: suggestFor(undefined),
    out: output("out"),
    err,
    messages: createMessages(err),
    stdin: async function* () {},
    isInteractive: false,
    interrupted: new AbortController().signal,
    onAbandon: () => {},
    written,
  };
}

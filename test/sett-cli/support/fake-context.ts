// A command's context that keeps what is written, for commands run inside the test.
import type { CliContext } from "../../../apps/sett/context.ts";
import { createStyle } from "../../../apps/sett/render/style.ts";

export type FakeContext = CliContext & { written: { out: string; err: string } };

export function fakeContext(over: Partial<CliContext> = {}): FakeContext {
  const written = { out: "", err: "" };
  const decoder = new TextDecoder();
  const paint = (text: string) => {
    written.err += text;
  };
  return {
    env: {},
    cwd: "/",
    stdin: async function* () {},
    out: async (data) => {
      written.out += typeof data === "string" ? data : decoder.decode(data);
    },
    say: (line) => paint(`${line}\n`),
    paint,
    isTerminal: { out: false, err: false },
    useColour: { out: false, err: false },
    style: { out: createStyle(false), err: createStyle(false) },
    columns: undefined,
    signal: new AbortController().signal,
    version: "1.2.3",
    isDebug: false,
    ...over,
    written,
  };
}

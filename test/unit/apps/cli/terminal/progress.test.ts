// Spinners on a terminal, and what a person types meanwhile.
import { expect, test } from "bun:test";
import { Progress } from "../../../../../apps/cli/terminal/progress.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { Screen } from "../../../../support/cli/screen.ts";
import { waitFor } from "../../../../support/wait-for.ts";

test("where the terminal has shown Ctrl-C, nothing is left of the spinner", async () => {
  const screen = new Screen(80);
  // The terminal's driver begins each line at its first column.
  const write = async (text: string) => screen.write(text.replaceAll("\n", "\r\n"));
  const progress = new Progress({
    isTerminal: true,
    columns: 80,
    style: createStyle(false),
    writeBytes: async () => {},
    write,
  });
  progress.begin("redis", "starting");
  await waitFor("the spinner", () => screen.lines.join("").includes("redis starting"));
  screen.write("^C");
  progress[Symbol.dispose]();
  screen.write("Interrupted.");
  expect(screen.lines).toEqual(["Interrupted."]);
});

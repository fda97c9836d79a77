import { describe, expect, test } from "bun:test";
import { commands } from "../../../../apps/cli/commands.ts";
import { commandHelp } from "../../../../apps/cli/help.ts";
import type { Command } from "../../../../apps/cli/program/command.ts";
import { runCommand } from "../../../../apps/cli/run-command.ts";
import { createStyle } from "../../../../lib/client/text/style.ts";
import { fakeShell } from "../../../support/cli/fake-shell.ts";
import { Screen } from "../../../support/cli/screen.ts";

async function run(...words: string[]) {
  const shell = fakeShell();
  const code = await runCommand(words, shell);
  return { code, ...shell.written };
}

describe("the command line", () => {
  test("without anything shows the help, on stdout", async () => {
    const { code, out, err } = await run();
    expect(code).toBe(0);
    expect(err).toBe("");
    for (const name of Object.keys(commands)) expect(out).toContain(name);
    expect(out).toContain("REDIS_URL");
  });

  test("prints its version", async () => {
    for (const flag of ["--version", "-v"])
      expect(await run(flag)).toEqual({ code: 0, out: "1.2.3\n", err: "" });
  });

  test.each(Object.keys(commands))("helps with %s, by three ways, with examples", async (name) => {
    const { code, out } = await run(name, "--help");
    expect(code).toBe(0);
    expect(out).toContain(`sett ${name}`);
    expect(out).toMatch(/Examples:\n {2}sett /);
    expect((await run("help", name)).out).toBe(out);
    expect((await run("--help", name)).out).toBe(out);
  });

  test.each(Object.entries(commands))(
    "describes %s in the list as in its own help",
    async (_name, { description, load }) => {
      const command: Command = await load();
      expect(command.description).toBe(description);
    },
  );

  test.each(Object.entries(commands))(
    "helps with %s in 80 columns, without breaking a word",
    async (_name, { load }) => {
      const text = commandHelp(await load(), { style: createStyle(false), columns: 80 });
      const screen = new Screen(80);
      screen.write(text.replaceAll("\n", "\r\n"));
      expect(screen.brokenWords).toEqual([]);
    },
  );

  test.each([
    [["frage"], "no command `sett frage`", "sett forage"],
    [["watch", "--gaol", "x"], "no option --gaol", "--goal"],
    [["--hlep"], "no option --hlep", "--help"],
    [["hoard", "abcdef", "surplus"], "`surplus` is too many", "hoard --help"],
    [["status", "surplus"], "takes no arguments", "status --help"],
    [["forage", "do it"], "`do it` is too many", "sett forage --goal 'do it'"],
    [["forage", "do", "it"], "`do` is too many", "sett forage --goal 'do it'"],
    [["forage", "do it", "--goal", "x"], "`do it` is too many", "forage --help"],
    [["forage"], "needs --goal TEXT", "forage --help"],
    [["forage", "--goal"], "--goal needs a value", "--goal TEXT"],
    [["forage", "--goal", "--watch"], "looks like an option", "--goal='--watch'"],
    [["forage", "--goal", "a", "--goal", "b"], "appears twice", "--help"],
    [["forage", "--watch=yes", "--goal", "a"], "--watch takes no value", "--help"],
    [["watch", "-o", "yaml"], "human or jsonl", "--help"],
    [["unearth"], "needs ID", "unearth --help"],
    [["help", "watch", "more"], "`more` is too many", ""],
    [["watch", "--since", "10m", "ago"], "`ago` is too many", "Leave `ago` out"],
    [["down", "--timeout", "soon"], "--timeout must be a duration such as `30s`", "--timeout 30s"],
    [
      ["questions", "--wait", "--timeout", "soon"],
      "--timeout must be a duration such as `30s`",
      "--timeout 30s",
    ],
  ])("refuses %j with a sentence and the way out", async (words, sentence, hint) => {
    const { code, out, err } = await run(...words);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toStartWith("sett: ");
    expect(err).toContain(sentence);
    expect(err).toContain(hint);
  });
});

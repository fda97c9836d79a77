// Every command of `sett` that a page types is one that this version reads: the command, its
// options and the number of its words. test/e2e/docs.test.ts types them at an instance.
import { expect, test } from "bun:test";
import { commands } from "../../../apps/cli/commands.ts";
import { readArguments } from "../../../apps/cli/program/read-arguments.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import { blocksOf, pagesOfRepository, readPage } from "../../support/docs/pages.ts";

const documentation = (await pagesOfRepository()).filter((page) =>
  /^(?:README|docs\/.*|agents\/.*)\.?(?:md)?$/.test(page),
);

/** What a shell types: of a `console` block the lines behind its prompt. */
function typedIn({ language, code }: { language: string; code: string }): string {
  const lines = code.replace(/\\\n\s*/g, " ").replace(/^\s*#.*$/gm, "");
  if (language === "sh") return lines.replace(/<<'?(\w+)'?\n.*?^\1$/gms, "");
  return [...lines.matchAll(/^\$ (.*)$/gm)].map(([, typed]) => typed).join("\n");
}

/**
 * The words behind each `sett` that begins a command, without quotes. What the shell would put in
 * (`$goal`, `$(…)`) stays a word, and `…` shortens what a reader writes.
 */
function commandsIn(shell: string): string[][] {
  const begun = [
    ...shell.matchAll(/(?:^|[|;&(`!]|\b(?:if|until|while|do|then|env)\b)[ \t]*sett[ \t]/gm),
  ];
  return begun.map(({ index, 0: { length } }) => wordsFrom(shell.slice(index + length)));
}

const word = /^[ \t]*((?:"(?:\$\([^)]*\)|\\.|[^"\\])*"|'[^']*'|\$\([^)]*\)|[^\s"'|;&()<>`])+)/;

function wordsFrom(text: string): string[] {
  const words: string[] = [];
  for (let rest = text; ; ) {
    const [all, found] = word.exec(rest) ?? [];
    if (all === undefined || found === undefined || found.startsWith("#")) return words;
    rest = rest.slice(all.length);
    // The number before a redirection is of it: `2>/dev/null`.
    if (/^\d$/.test(found) && /^[<>]/.test(rest)) return words;
    words.push(found.replace(/^(["'])(.*)\1$/s, "$2"));
  }
}

async function mistakeIn([name = "", ...args]: string[]): Promise<string | undefined> {
  if (name.startsWith("-") || name === "help") return undefined;
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined) return `There is no command \`sett ${name}\`.`;
  const command = await entry.load();
  try {
    readArguments(args, command);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

test("every command of `sett` that a page types is one that this version reads", async () => {
  const typed = documentation.flatMap((page) =>
    blocksOf(readPage(page))
      .filter(({ language }) => ["sh", "console"].includes(language))
      .flatMap((block) =>
        commandsIn(typedIn(block)).map((words) => ({ at: `${page}:${block.line}`, words })),
      ),
  );
  expect(typed.length).toBeGreaterThan(150);
  const mistakes = await Promise.all(
    typed.map(async ({ at, words }) => {
      const mistake = await mistakeIn(words);
      return mistake === undefined ? [] : [`${at}: sett ${words.join(" ")}: ${mistake}`];
    }),
  );
  expect(mistakes.flat()).toEqual([]);
});

test("a command, an option and a word that there are not are found", async () => {
  const typed = [
    'sett forge --goal "a b"',
    'echo x | sett forage --gaol "$(cat "x y")" && sett pause',
    "id=$(sett approve one two | jq -r .id)",
    "sett status --json 2>/dev/null",
  ].join("\n");
  expect(commandsIn(typed)).toEqual([
    ["forge", "--goal", "a b"],
    ["forage", "--gaol", '$(cat "x y")'],
    ["pause"],
    ["approve", "one", "two"],
    ["status", "--json"],
  ]);
  expect(await Promise.all(commandsIn(typed).map(mistakeIn))).toEqual([
    expect.stringContaining("no command"),
    expect.stringContaining("--gaol"),
    undefined,
    expect.stringContaining("two"),
    undefined,
  ]);
});

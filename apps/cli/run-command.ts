// Runs one command line from its words to its exit code.
import { parseArgs } from "citty";
import { nearestWord } from "../../lib/config/nearest-word.ts";
import { exitCodes, SettError } from "../../lib/model/errors.ts";
import { commands } from "./commands.ts";
import { commandHelp, rootHelp } from "./help.ts";
import { commonArguments } from "./program/arguments.ts";
import type { Command } from "./program/command.ts";
import { printError } from "./program/print-error.ts";
import { readArguments } from "./program/read-arguments.ts";
import type { Shell } from "./terminal/shell.ts";
import { suggestFor } from "./text/suggest.ts";

/** Never throws: what goes wrong is printed, and the exit code says what kind it was. */
export async function runCommand(words: readonly string[], shell: Shell): Promise<number> {
  const end = words.indexOf("--");
  const isDebug = words.slice(0, end === -1 ? undefined : end).includes("--debug");
  try {
    return await dispatch(words, shell);
  } catch (error) {
    // Whoever interrupts knows what they did; only a command that has to tidy up has something to say about it.
    if (shell.interrupted.aborted && !(error instanceof SettError)) return exitCodes.interrupted;
    return await printError(error, shell.err, { isDebug });
  }
}

async function dispatch(words: readonly string[], shell: Shell): Promise<number> {
  const at = words.findIndex((word) => !word.startsWith("-") || word === "--" || word === "-");
  const before = words.slice(0, at === -1 ? undefined : at);
  for (const word of before) if (isVersion(word)) return await answer(shell, `${shell.version}\n`);
  readOptionsOfRoot(before);
  const name = words[at];
  const isHelp = before.some((word) => word === "--help" || word === "-h");
  if (name === undefined) return await answer(shell, rootHelp(shell.out));
  if (name === "help") return await help(words.slice(at + 1), shell);
  const command = await find(name);
  if (isHelp) return await answer(shell, commandHelp(command, shell.out));
  const read = readArguments(words.slice(at + 1), command);
  if (read.isHelp) return await answer(shell, commandHelp(command, shell.out));
  return await perform(command, read.canonical, shell);
}

function readOptionsOfRoot(words: readonly string[]): void {
  const known = [...Object.keys(commonArguments).map((name) => `--${name}`), "-h", "-v", "--version"];
  const wrong = words.find((word) => !known.includes(word));
  if (wrong === undefined) return;
  const nearest = nearestWord(wrong, known);
  const hint =
    nearest === undefined ? "Options of a command come after its name. See `sett --help`." : `Did you mean ${nearest}?`;
  throw new SettError("usage", `sett has no option ${wrong}.`, { hint });
}

async function help([name, surplus]: readonly string[], shell: Shell): Promise<number> {
  if (name === undefined) return await answer(shell, rootHelp(shell.out));
  if (surplus !== undefined) throw new SettError("usage", `\`sett help\` takes one command: \`${surplus}\` is too many.`);
  return await answer(shell, commandHelp(await find(name), shell.out));
}

async function find(name: string): Promise<Command> {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry !== undefined) return await entry.load();
  const nearest = nearestWord(name, Object.keys(commands));
  const hint = nearest === undefined ? "`sett --help` lists the commands." : `Did you mean \`sett ${nearest}\`?`;
  throw new SettError("usage", `There is no command \`sett ${name}\`.`, { hint });
}

async function perform(command: Command, canonical: string[], shell: Shell): Promise<number> {
  const { run } = command.citty;
  if (run === undefined) throw new SettError("internal", `The command ${command.name} does nothing.`);
  const args = parseArgs(canonical, command.args);
  const suggest = suggestFor(typeof args.name === "string" ? args.name : undefined);
  const context = { rawArgs: canonical, args, cmd: command.citty, data: { ...shell, suggest } };
  const running = Promise.resolve(run(context));
  const code: unknown =
    command.endsItself === true ? await running : await Promise.race([running, interruption(shell.interrupted)]);
  return typeof code === "number" ? code : exitCodes.done;
}

function interruption(signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const finish = () => resolve(exitCodes.interrupted);
    if (signal.aborted) finish();
    else signal.addEventListener("abort", finish, { once: true });
  });
}

async function answer(shell: Shell, text: string): Promise<number> {
  await shell.out.write(text);
  return exitCodes.done;
}

function isVersion(word: string): boolean {
  return word === "--version" || word === "-v";
}

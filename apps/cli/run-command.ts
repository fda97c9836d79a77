// Runs one command line and returns its exit code.
import { parseArgs } from "citty";
import { suggestFor } from "../../lib/client/text/suggest.ts";
import { nearestWord } from "../../lib/config/nearest-word.ts";
import { exitCodes, SettError } from "../../lib/model/errors.ts";
import { oneError } from "../../lib/model/one-error.ts";
import { commands } from "./commands.ts";
import { commandHelp, rootHelp } from "./help.ts";
import { commonArguments } from "./program/arguments.ts";
import type { Command } from "./program/command.ts";
import { printError } from "./program/print-error.ts";
import { readArguments } from "./program/read-arguments.ts";
import type { Shell } from "./terminal/shell.ts";

/** Never throws: it prints every error, and the exit code names its kind. */
export async function runCommand(args: readonly string[], shell: Shell): Promise<number> {
  const end = args.indexOf("--");
  const isDebug = args.slice(0, end === -1 ? undefined : end).includes("--debug");
  try {
    return await dispatch(args, shell);
  } catch (thrown) {
    const error = oneError(thrown);
    // An interruption needs no message, unless the command prints one about its clean-up.
    if (shell.interrupted.aborted && !(error instanceof SettError)) return exitCodes.interrupted;
    return await printError(error, shell.err, { isDebug });
  }
}

async function dispatch(args: readonly string[], shell: Shell): Promise<number> {
  const at = args.findIndex((arg) => !arg.startsWith("-") || arg === "--" || arg === "-");
  const before = args.slice(0, at === -1 ? undefined : at);
  for (const arg of before) if (isVersion(arg)) return await print(shell, `${shell.version}\n`);
  readOptionsOfRoot(before);
  const name = args[at];
  const isHelp = before.some((arg) => arg === "--help" || arg === "-h");
  if (name === undefined) return await print(shell, rootHelp(shell.out));
  if (name === "help") return await help(args.slice(at + 1), shell);
  const command = await find(name);
  if (isHelp) return await print(shell, commandHelp(command, shell.out));
  const read = readArguments(args.slice(at + 1), command);
  if (read.isHelp) return await print(shell, commandHelp(command, shell.out));
  return await perform(command, read.canonical, shell);
}

function readOptionsOfRoot(args: readonly string[]): void {
  const known = [
    ...Object.keys(commonArguments).map((name) => `--${name}`),
    "-h",
    "-v",
    "--version",
  ];
  const wrong = args.find((arg) => !known.includes(arg));
  if (wrong === undefined) return;
  const nearest = nearestWord(wrong, known);
  const hint =
    nearest === undefined
      ? "Put the options of a command after its name. See `sett --help`."
      : `Did you mean ${nearest}?`;
  throw new SettError("usage", `sett has no option ${wrong}.`, { hint });
}

async function help([name, surplus]: readonly string[], shell: Shell): Promise<number> {
  if (name === undefined) return await print(shell, rootHelp(shell.out));
  if (surplus !== undefined)
    throw new SettError("usage", `\`sett help\` takes one command: \`${surplus}\` is too many.`);
  return await print(shell, commandHelp(await find(name), shell.out));
}

async function find(name: string): Promise<Command> {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry !== undefined) return await entry.load();
  const nearest = nearestWord(name, Object.keys(commands));
  const hint =
    nearest === undefined
      ? "`sett --help` lists the commands."
      : `Did you mean \`sett ${nearest}\`?`;
  throw new SettError("usage", `There is no command \`sett ${name}\`.`, { hint });
}

async function perform(command: Command, canonical: string[], shell: Shell): Promise<number> {
  const { run } = command.citty;
  if (run === undefined)
    throw new SettError("internal", `The command ${command.name} does nothing.`);
  if (command.isOfThisMachine === true && (shell.env.SETT_API ?? "") !== "")
    throw notFromAfar(command);
  const args = parseArgs(canonical, command.args);
  const suggest = suggestFor(typeof args.name === "string" ? args.name : undefined);
  const context = { rawArgs: canonical, args, cmd: command.citty, data: { ...shell, suggest } };
  const running = Promise.resolve(run(context));
  const code: unknown =
    command.endsItself === true
      ? await running
      : await Promise.race([running, interruption(shell.interrupted)]);
  return typeof code === "number" ? code : exitCodes.done;
}

function notFromAfar({ name }: Command): SettError {
  return new SettError(
    "usage",
    `\`sett ${name}\` cannot be done through the API, which SETT_API names.`,
    {
      hint: "Do it on the machine where the instance runs, without SETT_API: unset SETT_API",
    },
  );
}

function interruption(signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const finish = () => resolve(exitCodes.interrupted);
    if (signal.aborted) finish();
    else signal.addEventListener("abort", finish, { once: true });
  });
}

async function print(shell: Shell, text: string): Promise<number> {
  await shell.out.write(text);
  return exitCodes.done;
}

function isVersion(arg: string): boolean {
  return arg === "--version" || arg === "-v";
}

// Reads a command line strictly: citty and node:util accept unknown options, missing values and
// surplus arguments.
import { parseArgs } from "node:util";
import { nearestWord } from "../../../lib/config/nearest-word.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { shellWord } from "../../../lib/model/shell-word.ts";
import { commonArguments } from "./arguments.ts";
import type { Argument, Arguments } from "./command.ts";

type Read = {
  isHelp: boolean;
  /**
   * The same arguments in one form (`--name=value`), for citty: each option once, lists joined with
   * commas.
   */
  canonical: string[];
};

/**
 * Throws `usage`, which names the argument and, for a spelling mistake, the one that was probably
 * meant.
 */
export function readArguments(
  rawArgs: readonly string[],
  command: { name: string; args: Arguments },
): Read {
  const all: Arguments = { ...command.args, ...commonArguments };
  const options = Object.entries(all).filter(([, argument]) => argument.type !== "positional");
  const { tokens } = parseArgs({
    args: [...rawArgs],
    options: Object.fromEntries(options.map(([name, argument]) => [name, optionOf(argument)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const fail = (message: string, hint = `See \`sett ${command.name} --help\`.`): never => {
    throw new SettError("usage", message, { hint });
  };
  const values = new Map<string, string>();
  const switches: string[] = [];
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") {
      positionals.push(token.value);
      continue;
    }
    const { name, rawName, value } = token;
    const argument = all[name];
    const negated = name.startsWith("no-") ? all[name.slice(3)] : undefined;
    if (negated?.type === "boolean" && negated.default === true) {
      if (value !== undefined) fail(`${rawName} takes no value.`);
      switches.push(rawName);
    } else if (argument === undefined || argument.type === "positional") {
      fail(...unknownOption(rawName, name, command.name, options));
    } else if (argument.type === "boolean") {
      if (value !== undefined) fail(`${rawName} takes no value.`);
      switches.push(`--${name}`);
    } else if (value === undefined) {
      fail(`${rawName} needs a value: ${rawName} ${argument.valueHint ?? "VALUE"}.`);
    } else {
      if (token.inlineValue === false && value.startsWith("-") && value !== "-") {
        fail(
          `${rawName} needs a value, and \`${value}\` looks like an option.`,
          `If it is the value: --${name}='${value}'`,
        );
      }
      const before = values.get(name);
      if (before !== undefined && argument.isList !== true) fail(`${rawName} appears twice.`);
      checkChoice(argument, rawName, value, fail);
      values.set(name, before === undefined ? value : `${before},${value}`);
    }
  }
  const isHelp = switches.includes("--help");
  if (!isHelp) checkPositionals(command, positionals, values, fail);
  const canonical = [
    ...[...values].map(([name, value]) => `--${name}=${value}`),
    ...switches,
    "--",
    ...positionals,
  ];
  return { isHelp, canonical };
}

type Fail = (message: string, hint?: string) => never;

function optionOf(argument: Argument): { type: "string" | "boolean"; short?: string } {
  const type = argument.type === "boolean" ? "boolean" : "string";
  const alias = "alias" in argument ? argument.alias : undefined;
  return typeof alias === "string" ? { type, short: alias } : { type };
}

function unknownOption(
  rawName: string,
  name: string,
  command: string,
  options: [string, Argument][],
): [string, string?] {
  const nearest = nearestWord(
    name,
    options.map(([known]) => known),
  );
  const message = `\`sett ${command}\` has no option ${rawName}.`;
  return nearest === undefined ? [message] : [message, `Did you mean --${nearest}?`];
}

function checkChoice(argument: Argument, rawName: string, value: string, fail: Fail): void {
  if (argument.type !== "enum" || argument.options?.includes(value) !== false) return;
  fail(`${rawName} takes ${argument.options.join(" or ")}, not \`${value}\`.`);
}

/** The right line where the words are most likely the value of the one option that is needed. */
function asOption(
  { name, args }: { name: string; args: Arguments },
  words: readonly string[],
  values: ReadonlyMap<string, string>,
): string | undefined {
  const needed = Object.entries(args).filter(
    ([option, { type, required }]) => type === "string" && required === true && !values.has(option),
  );
  const [only, ...others] = needed;
  if (only === undefined || others.length > 0) return undefined;
  return `It is the value of an option: sett ${name} --${only[0]} ${shellWord(words.join(" "))}`;
}

function checkPositionals(
  command: { name: string; args: Arguments },
  positionals: readonly string[],
  values: ReadonlyMap<string, string>,
  fail: Fail,
): void {
  const entries = Object.entries(command.args);
  const places = entries.filter(([, argument]) => argument.type === "positional");
  const surplus = positionals[places.length];
  if (surplus !== undefined) {
    const max =
      places.length === 0
        ? "no arguments"
        : places.length === 1
          ? "one argument"
          : `${places.length} arguments`;
    const hint =
      surplus === "ago"
        ? "Leave `ago` out: sett counts a duration back from now."
        : asOption(command, positionals.slice(places.length), values);
    fail(`\`sett ${command.name}\` takes ${max}: \`${surplus}\` is too many.`, hint);
  }
  const missing = places.find(
    ([, argument], index) => argument.required === true && positionals[index] === undefined,
  );
  if (missing !== undefined)
    fail(`\`sett ${command.name}\` needs ${missing[0].toUpperCase()}: ${missing[1].description}.`);
  const absent = entries.find(
    ([name, { type, required }]) => type !== "positional" && required === true && !values.has(name),
  );
  if (absent !== undefined)
    fail(
      `\`sett ${command.name}\` needs --${absent[0]} ${absent[1].valueHint ?? "VALUE"}: ${absent[1].description}.`,
    );
}

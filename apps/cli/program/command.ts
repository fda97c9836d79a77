// A command as data: its name, its arguments, examples, and what it does.
import { type ArgDef, type CommandDef, defineCommand as defineCittyCommand } from "citty";
import type { Shell } from "../terminal/shell.ts";

/**
 * citty's description of an argument. `isList`: the option may be repeated, or its value may be a
 * list with commas.
 */
export type Argument = ArgDef & { isList?: boolean };
export type Arguments = Record<string, Argument>;

/** The value that a command receives for an argument of this description. */
type ValueOf<A extends Argument> = A extends { type: "boolean" }
  ? boolean
  : A extends { isList: true }
    ? string[]
    : A extends { required: true } | { default: string }
      ? string
      : string | undefined;
export type Values<Args extends Arguments> = { [Name in keyof Args]: ValueOf<Args[Name]> };

type Definition<Args extends Arguments> = {
  name: string;
  /** One line, as in the list of commands. */
  description: string;
  /** Further sentences for `--help`. */
  details?: string;
  args: Args;
  /** Command lines; two spaces and `#` begin a comment. */
  examples: readonly string[];
  /**
   * True for a command that cleans up by itself when it is interrupted. Every other command ends at
   * once.
   */
  endsItself?: boolean;
  /**
   * True for what starts, stops or moves parts of an instance of this machine, or reaches its
   * Redis: it is refused where SETT_API names another.
   */
  isOfThisMachine?: boolean;
  /** Returns the exit code; undefined is 0. */
  run(args: Values<Args>, shell: Shell): Promise<number | undefined>;
};

export type Command = Omit<Definition<Arguments>, "run"> & {
  /** The same command for citty; its `data` is the shell. */
  citty: CommandDef<Arguments>;
};

export function defineCommand<const Args extends Arguments>(definition: Definition<Args>): Command {
  const { run, ...data } = definition;
  const { name, description, args } = definition;
  const citty = defineCittyCommand<Arguments>({
    meta: { name, description },
    args,
    run: (context) => run(valuesOf(args, context.args), context.data),
  });
  return { ...data, citty };
}

/**
 * citty's types claim that every argument has a value. A missing one becomes undefined, false, or
 * an empty list here.
 */
function valuesOf<Args extends Arguments>(
  args: Args,
  parsed: Record<string, unknown>,
): Values<Args> {
  const values: Record<string, unknown> = {};
  for (const [name, { type, isList }] of Object.entries(args)) {
    const value = parsed[name];
    if (type === "boolean") values[name] = value === true;
    else if (isList === true)
      values[name] =
        typeof value === "string" ? value.split(",").filter((word) => word !== "") : [];
    else values[name] = value;
  }
  // The loop follows the same description from which the type is derived.
  return values as Values<Args>;
}

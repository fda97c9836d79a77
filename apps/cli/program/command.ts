// A command as data: what it is called, what it takes, examples, and what it does.
import { type ArgDef, type CommandDef, defineCommand as defineCittyCommand } from "citty";
import type { Shell } from "../terminal/shell.ts";

/** citty's description of an argument. `isList`: may be given several times or with commas. */
export type Argument = ArgDef & { isList?: boolean };
export type Arguments = Record<string, Argument>;

/** What a command gets for an argument of this description. */
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
  /** What the line leaves out. */
  details?: string;
  args: Args;
  /** Command lines, with a comment after two spaces and `#`. */
  examples: readonly string[];
  /** True for commands that tidy up themselves when they are interrupted; the others are left where they stand. */
  endsItself?: boolean;
  /** Returns the exit code; nothing is 0. */
  run(args: Values<Args>, shell: Shell): Promise<number | undefined>;
};

export type Command = Pick<Definition<Arguments>, "name" | "description" | "details" | "args" | "examples" | "endsItself"> & {
  /** The same as citty knows it: `data` is the shell. */
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

/** citty types what was not given as if it were there; here it is undefined, false, or an empty list. */
function valuesOf<Args extends Arguments>(args: Args, parsed: Record<string, unknown>): Values<Args> {
  const values: Record<string, unknown> = {};
  for (const [name, { type, isList }] of Object.entries(args)) {
    const value = parsed[name];
    if (type === "boolean") values[name] = value === true;
    else if (isList === true) values[name] = typeof value === "string" ? value.split(",").filter((word) => word !== "") : [];
    else values[name] = value;
  }
  // Built above along the same description that the type is made from.
  return values as Values<Args>;
}

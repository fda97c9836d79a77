// The command line's reference, from the commands themselves and the table of errors.

import { commands } from "../../apps/cli/commands.ts";
import { commonArguments } from "../../apps/cli/program/arguments.ts";
import type { Argument, Command } from "../../apps/cli/program/command.ts";
import { exitCodeOf, exitCodes } from "../../lib/model/errors.ts";
import { commentsOf } from "./comments.ts";
import { bullets, capital, code, sentence, table, wrapped } from "./markdown.ts";

export const commandRegions = {
  async commands(): Promise<string> {
    const all = await Promise.all(Object.values(commands).map(({ load }) => load()));
    return all.map(section).join("\n\n");
  },

  "common-options": () => bullets(options(commonArguments)),

  async "exit-codes"(): Promise<string> {
    const meanings = await commentsOf("lib/model/errors.ts", "exitCodes");
    return table(
      ["code", "meaning"],
      Object.entries(exitCodes).map(([name, number]) => [String(number), meanings.get(name) ?? ""]),
    );
  },

  errors: () => {
    const codes = [...new Set(Object.values(exitCodeOf))].toSorted((a, b) => a - b);
    const names = (wanted: number) =>
      Object.entries(exitCodeOf).flatMap(([name, number]) =>
        number === wanted ? [`\`${name}\``] : [],
      );
    return bullets(codes.map((number) => `exit code ${number}: ${names(number).join(", ")}`));
  },
};

function section({ name, description, details, args, examples }: Command): string {
  const places = Object.entries(args).filter(([, argument]) => argument.type === "positional");
  const others = Object.fromEntries(
    Object.entries(args).filter(([, argument]) => argument.type !== "positional"),
  );
  const usage = [
    "sett",
    name,
    ...places.map(([place, { required }]) =>
      required === true ? place.toUpperCase() : `[${place.toUpperCase()}]`,
    ),
    ...Object.entries(others).flatMap(([option, argument]) =>
      argument.required === true ? [`--${option} ${hintOf(argument)}`] : [],
    ),
    "[options]",
  ].join(" ");
  return [
    `### sett ${name}`,
    wrapped(sentence(capital(description))),
    ...(details === undefined ? [] : [wrapped(details)]),
    code("text", [usage]),
    bullets([
      ...places.map(
        ([place, argument]) =>
          `\`${place.toUpperCase()}\`: ${sentence(argument.description ?? "")}`,
      ),
      ...options(others),
    ]),
    code("sh", examples),
  ].join("\n\n");
}

function options(args: Readonly<Record<string, Argument>>): string[] {
  return Object.entries(args).map(([name, argument]) => {
    const isOnByDefault = argument.type === "boolean" && argument.default === true;
    const alias =
      "alias" in argument && typeof argument.alias === "string" && !isOnByDefault
        ? `-${argument.alias}, `
        : "";
    const value = argument.type === "boolean" ? "" : ` ${hintOf(argument)}`;
    const text =
      isOnByDefault && "negativeDescription" in argument
        ? argument.negativeDescription
        : argument.description;
    return `\`${alias}--${isOnByDefault ? "no-" : ""}${name}${value}\`: ${sentence(text ?? "")}`;
  });
}

function hintOf(argument: Argument): string {
  return ("valueHint" in argument && argument.valueHint) || "VALUE";
}

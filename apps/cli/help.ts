// The text of `--help`.

import type { Layout, Style } from "../../lib/client/text/style.ts";
import { wrap } from "../../lib/client/text/wrap.ts";
import { commands } from "./commands.ts";
import { commonArguments } from "./program/arguments.ts";
import type { Argument, Command } from "./program/command.ts";

export function rootHelp(out: Layout): string {
  const { style, columns } = out;
  const lines = Object.entries(commands).map(([name, { description }]): Row => [name, description]);
  return [
    wrap(
      `${style.bold("sett")} starts, feeds and inspects a clan of tool-equipped agents that work on a git repository.`,
      {
        columns,
      },
    ),
    "",
    heading("Usage", style),
    "  sett COMMAND [options]",
    "",
    heading("Commands", style),
    ...rows(lines, out),
    "",
    heading("Options", style),
    ...rows([...options(commonArguments), ["-v, --version", "show the version"]], out),
    "",
    heading("Examples", style),
    ...examples(
      [
        "sett init && git add -A && git commit -m 'Add a sett'",
        "sett up",
        "sett forage --goal hello --watch",
        "sett hoard  # the artefacts",
        "sett down",
        "sett watch --help  # more about one command",
      ],
      out,
    ),
    "",
    heading("Environment", style),
    ...rows(
      [
        [
          "REDIS_URL",
          "connect to this Redis instead of looking for containers; needs --name or SETT_INSTANCE_NAME",
        ],
        ["SETT_API", "work with the instance whose API this is; needs SETT_API_TOKEN"],
        ["DOCKER_HOST", "the address of the Docker Engine, as for docker"],
        ["SETT_DOCKER_TIMEOUT", "how long the Engine may take for most requests (default: 2m)"],
        [
          "XDG_STATE_HOME",
          "where `sett up --runtime process` keeps its data (default: ~/.local/state)",
        ],
        ["NO_COLOR", "no colours"],
      ],
      out,
    ),
    "",
    heading("Exit codes", style),
    ...rows(
      [
        ["0", "the command is done; or the goal is achieved or settled"],
        ["1", "the command failed; or the goal is stalled: no agent worked on it"],
        ["2", "the command was used wrongly, or sett.yml has a mistake"],
        ["3", "the goal failed or was cancelled"],
        ["4", "the goal waits for a person"],
        ["130", "interrupted"],
      ],
      out,
    ),
    "",
  ].join("\n");
}

export function commandHelp(
  { name, description, details, args, examples: lines }: Command,
  out: Layout,
): string {
  const { style, columns } = out;
  const places = Object.entries(args).filter(([, argument]) => argument.type === "positional");
  const usage = [
    "sett",
    name,
    ...places.map(([place, { required }]) =>
      required === true ? place.toUpperCase() : `[${place.toUpperCase()}]`,
    ),
    ...Object.entries(args).flatMap(([option, argument]) =>
      argument.type !== "positional" && argument.required === true
        ? [`--${option} ${argument.valueHint ?? "VALUE"}`]
        : [],
    ),
    "[options]",
  ];
  return [
    `${style.bold(`sett ${name}`)}: ${description}`,
    ...(details === undefined
      ? []
      : ["", columns === undefined ? details : wrap(details.replaceAll("\n", " "), { columns })]),
    "",
    heading("Usage", style),
    `  ${usage.join(" ")}`,
    "",
    ...(places.length === 0
      ? []
      : [
          heading("Arguments", style),
          ...rows(
            places.map(([place, argument]) => [place.toUpperCase(), argument.description ?? ""]),
            out,
          ),
          "",
        ]),
    heading("Options", style),
    ...rows([...options(args), ...options(commonArguments)], out),
    "",
    heading("Examples", style),
    ...examples(lines, out),
    "",
  ].join("\n");
}

type Row = [term: string, description: string];

function options(args: Readonly<Record<string, Argument>>): Row[] {
  return Object.entries(args).flatMap(([name, argument]): Row[] => {
    if (argument.type === "positional") return [];
    const isOnByDefault = argument.type === "boolean" && argument.default === true;
    const long = isOnByDefault ? `--no-${name}` : `--${name}`;
    const alias = "alias" in argument ? argument.alias : undefined;
    const short = typeof alias === "string" && !isOnByDefault ? `-${alias}, ` : "    ";
    const value = argument.type === "boolean" ? "" : ` ${argument.valueHint ?? "VALUE"}`;
    const description =
      isOnByDefault && "negativeDescription" in argument
        ? argument.negativeDescription
        : argument.description;
    return [[`${short}${long}${value}`, description ?? ""]];
  });
}

function rows(lines: readonly Row[], { style, columns }: Layout): string[] {
  const width = Math.max(...lines.map(([term]) => term.length));
  return lines.map(([term, description]) =>
    wrap(`  ${style.cyan(term.padEnd(width))}  ${description}`, { columns, indent: width + 4 }),
  );
}

function examples(lines: readonly string[], { style, columns }: Layout): string[] {
  return lines.map((line) => {
    const at = line.indexOf("  # ");
    const text = at === -1 ? `  ${line}` : `  ${line.slice(0, at)}${style.dim(line.slice(at))}`;
    return wrap(text, { columns, indent: 4, isOneLine: true });
  });
}

function heading(text: string, style: Style): string {
  return style.bold(`${text}:`);
}

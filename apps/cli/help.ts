// What `--help` prints.
import { commonArguments } from "./arguments.ts";
import type { Argument, Command } from "./command.ts";
import { commands } from "./commands.ts";
import type { Style } from "./render/style.ts";

export function rootHelp(style: Style): string {
  const lines = Object.entries(commands).map(([name, { description }]): Row => [name, description]);
  return [
    `${style.bold("sett")} starts, feeds and inspects a clan of tool-equipped agents that work on a git repository.`,
    "",
    heading("Usage", style),
    "  sett COMMAND [options]",
    "",
    heading("Commands", style),
    ...rows(lines, style),
    "",
    heading("Options", style),
    ...rows([...options(commonArguments), ["-v, --version", "show the version"]], style),
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
      style,
    ),
    "",
    heading("Environment", style),
    ...rows(
      [
        ["REDIS_URL", "use this Redis, with --name or SETT_INSTANCE_NAME, and look for no containers"],
        ["DOCKER_HOST", "the Docker Engine, as for docker"],
        ["XDG_STATE_HOME", "where `sett up --runtime process` keeps its data; ~/.local/state without it"],
        ["NO_COLOR", "no colours"],
      ],
      style,
    ),
    "",
    heading("Exit codes", style),
    "  0 done (also a goal achieved or settled), 1 failed or stalled, 2 wrong use, 3 the goal failed or was cancelled,",
    "  4 waiting for a person, 130 interrupted",
    "",
  ].join("\n");
}

export function commandHelp({ name, description, details, args, examples: lines }: Command, style: Style): string {
  const places = Object.entries(args).filter(([, argument]) => argument.type === "positional");
  const usage = [
    "sett",
    name,
    ...places.map(([place, { required }]) => (required === true ? place.toUpperCase() : `[${place.toUpperCase()}]`)),
    ...Object.entries(args).flatMap(([option, argument]) =>
      argument.type !== "positional" && argument.required === true ? [`--${option} ${argument.valueHint ?? "VALUE"}`] : [],
    ),
    "[options]",
  ];
  return [
    `${style.bold(`sett ${name}`)}: ${description}`,
    ...(details === undefined ? [] : ["", details]),
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
            style,
          ),
          "",
        ]),
    heading("Options", style),
    ...rows([...options(args), ...options(commonArguments)], style),
    "",
    heading("Examples", style),
    ...examples(lines, style),
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
    const description = isOnByDefault && "negativeDescription" in argument ? argument.negativeDescription : argument.description;
    return [[`${short}${long}${value}`, description ?? ""]];
  });
}

function rows(lines: readonly Row[], style: Style): string[] {
  const width = Math.max(...lines.map(([term]) => term.length));
  return lines.map(([term, description]) => `  ${style.cyan(term.padEnd(width))}  ${description}`);
}

function examples(lines: readonly string[], style: Style): string[] {
  return lines.map((line) => {
    const at = line.indexOf("  # ");
    return at === -1 ? `  ${line}` : `  ${line.slice(0, at)}${style.dim(line.slice(at))}`;
  });
}

function heading(text: string, style: Style): string {
  return style.bold(`${text}:`);
}

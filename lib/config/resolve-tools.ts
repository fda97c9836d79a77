// The addresses and headers of `tools`, with `${NAME}` taken from the host. No sentence shows a
// header's value.
import { nanosPerUsd } from "../model/amounts.ts";
import type { SettConfig, SettFile } from "../model/config.ts";
import { allowedTool, type ToolHeaders, type ToolsConfig } from "../model/config-tools.ts";
import { isThisMachine } from "../model/proxy.ts";
import { nearestWord } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";
import { type HostEnvironment, type ProblemKind, replaceVariables } from "./resolve-environment.ts";

type Finding = { path: ConfigPath; sentence: string };

export type ResolvedTools = {
  /** The keys are the servers' names. */
  values: Map<string, { url: string } & ToolHeaders>;
  mistakes: Finding[];
  missing: Finding[];
  warnings: Finding[];
};

/** `tools` as the file has it: the schema reports what is of another kind. */
export function resolveTools(
  tools: unknown,
  host: HostEnvironment,
  withoutKeys = false,
): ResolvedTools {
  const found: ResolvedTools = { values: new Map(), mistakes: [], missing: [], warnings: [] };
  for (const [name, server] of Object.entries<unknown>(Object(tools))) {
    const mcp: unknown = Object(server).mcp;
    const report = (path: ConfigPath, kind: ProblemKind | "warnings") => (sentence: string) =>
      void found[kind].push({ path: ["tools", name, "mcp", ...path], sentence });
    const url = readText(Object(mcp).url, host, urlProblem, (kind) => report(["url"], kind));
    const headers: ToolHeaders = { headers: {}, hidden: [] };
    for (const [header, raw] of Object.entries<unknown>(Object(Object(mcp).headers))) {
      if (withoutKeys) continue;
      const path = ["headers", header];
      const value = readText(raw, host, headerProblem, (kind) => report(path, kind));
      headers.headers[header] = value;
      headers.hidden.push(...hiddenIn(header, raw, value, host));
      if (isCredential(header) && typeof raw === "string" && !raw.includes("$"))
        report(
          path,
          "warnings",
        )("is written into the file, where others can read it: write a variable such as `$TOKEN`");
    }
    found.values.set(name, { url, ...headers });
  }
  return found;
}

/** Empty where it is wrong, or no text. */
function readText(
  raw: unknown,
  host: HostEnvironment,
  problemOf: (text: string) => string | undefined,
  report: (kind: ProblemKind) => (sentence: string) => void,
): string {
  if (typeof raw !== "string") return "";
  let isWhole = true;
  const text = replaceVariables(raw, host, (sentence, kind) => {
    isWhole = false;
    report(kind)(sentence);
  });
  const problem = isWhole ? problemOf(text) : undefined;
  if (problem !== undefined) report("mistakes")(problem);
  return isWhole && problem === undefined ? text : "";
}

const credential = /authorization|token|key|secret|cookie|password/i;

function isCredential(header: string): boolean {
  return credential.test(header);
}

/** The values of its variables; for one that is a credential, all of its last word. */
function hiddenIn(header: string, raw: unknown, value: string, host: HostEnvironment): string[] {
  if (typeof raw !== "string") return [];
  const variables = [...raw.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name = ""]) => host[name]);
  const last = value.split(" ").at(-1);
  const isSecret = raw.includes("$") || isCredential(header);
  const all = isSecret ? [...variables, last] : [];
  return [...new Set(all.filter((one) => one !== undefined && one !== ""))] as string[];
}

function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    return "must be an address such as `https://mcp.example.org/mcp`";
  if (url.username !== "" || url.password !== "")
    return "must not have a user or a password: write a header in `headers`";
  if (url.hash !== "") return "must have no `#`";
  return undefined;
}

function headerProblem(text: string): string | undefined {
  if (text === "") return "is empty: set the variable, or leave the header out";
  if (text.length > 8_000) return "must not be longer than 8000 characters";
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)
    ? undefined
    : "must be ASCII characters in one line";
}

/** The servers as the gateway gets them, and their headers. */
export function toolsConfig(
  tools: SettFile["tools"],
  { values }: Pick<ResolvedTools, "values">,
): ToolsConfig {
  const config: ToolsConfig = { settings: {}, headers: {} };
  for (const [name, { mcp, allow, ask, price_per_call: price, limits }] of Object.entries(tools)) {
    const { url = "", headers = {}, hidden = [] } = values.get(name) ?? {};
    const hasHeaders = Object.keys(mcp.headers).length > 0;
    config.settings[name] = {
      ...{ url, allow, ...(ask.length > 0 && { ask }) },
      ...(price !== undefined && { call_nanousd: Math.round(price * nanosPerUsd) }),
      ...{ calls: limits.calls, answer_length: limits.answer },
      ...{ timeout_ms: limits.timeout, needs_headers: hasHeaders },
    };
    if (hasHeaders && Object.keys(headers).length > 0) config.headers[name] = { headers, hidden };
  }
  return config;
}

/** A mistake for each server that an agent names and `tools` does not have. */
export function unknownTools(
  agents: Readonly<Record<string, unknown>>,
  tools: Readonly<Record<string, unknown>>,
): Finding[] {
  const names = Object.keys(tools);
  return [
    ...Object.entries(agents).flatMap(([agent, settings]) => {
      const uses: unknown = Object(settings).tools;
      if (!Array.isArray(uses)) return [];
      return uses.flatMap((use: unknown, at) =>
        typeof use !== "string" || names.includes(use)
          ? []
          : [
              {
                path: ["agents", agent, "tools", at],
                sentence: `\`tools\` has no \`${use}\`: ${remedyFor(use, names)}`,
              },
            ],
      );
    }),
    ...names.flatMap((name) => twice(name, Object(tools[name]))),
  ];
}

function remedyFor(use: string, names: readonly string[]): string {
  if (names.length === 0) return "the file needs `tools`, which say where its server is";
  const meant = nearestWord(use, names);
  return meant === undefined
    ? `known are ${names.map((name) => `\`${name}\``).join(", ")}`
    : `did you mean \`${meant}\`?`;
}

/** A tool in both lists would pass with a question, and without one. */
function twice(server: string, lists: { allow?: unknown; ask?: unknown }): Finding[] {
  const seen = new Map<string, string>();
  return (["allow", "ask"] as const).flatMap((list) => {
    const entries: unknown = lists[list];
    if (!Array.isArray(entries)) return [];
    return entries.flatMap((entry: unknown, at) => {
      if (typeof entry !== "string") return [];
      const { name } = allowedTool(entry);
      const before = seen.get(name);
      seen.set(name, before ?? list);
      if (before === undefined) return [];
      const sentence =
        before === list
          ? `names \`${name}\` a second time`
          : `names \`${name}\`, which \`allow\` lets agents call without a question: leave it in one of the two`;
      return [{ path: ["tools", server, list, at], sentence }];
    });
  });
}

export function toolWarnings({ agents, tools }: Pick<SettConfig, "agents" | "tools">): Finding[] {
  return Object.entries(tools.settings).flatMap(([name, { url }]) => {
    const isUsed = agents.some((agent) => agent.tools.includes(name));
    const host = URL.parse(url)?.hostname ?? "";
    return [
      ...(isUsed ? [] : [{ path: ["tools", name], sentence: `no agent has \`tools: [${name}]\`` }]),
      ...(isThisMachine(host)
        ? [{ path: ["tools", name, "mcp", "url"], sentence: isOwnSentence }]
        : []),
    ];
  });
}

const isOwnSentence =
  "is the gateway's own container, unless it runs with `--runtime process`: write `host.docker.internal` for this machine";

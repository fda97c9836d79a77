// The `tools` of sett.yml: MCP servers whose tools agents may call through the gateway.
import { z } from "zod";
import { durationBetween } from "./config-quantities.ts";

/** A name of a server in sett.yml. With it begin the names of its tools, as agents know them. */
const serverPattern = /^[a-z0-9](?:[a-z0-9_-]{0,22}[a-z0-9])?$/;
export const ToolServerName = z.string().regex(serverPattern, {
  error: "must be lower-case letters, digits and inner `_` and `-`, at most 24",
});

/** `search_issues`, or `search_issues@sha256:…` for this one description alone. */
const allowedPattern = /^[A-Za-z0-9_./-]{1,200}(?:@sha256:[0-9a-f]{64})?$/;
const AllowedTool = z.string().regex(allowedPattern, {
  error:
    "must be a tool's name, of letters, digits, `_`, `-`, `.` and `/`, or such a name with `@sha256:` and the digest of its description",
});

/** What a tool is called at its server, and the digest that its description must have. */
export function allowedTool(entry: string): { name: string; digest: string | undefined } {
  const [name = "", digest] = entry.split("@sha256:");
  return { name, digest };
}

const headerPattern = /^[A-Za-z0-9-]{1,100}$/;
const minAnswer = 1_000;
const maxAnswer = 10_000_000;

const Mcp = z.strictObject({
  url: z
    .string({ error: "must be an address such as `https://mcp.example.org/mcp`" })
    .describe(
      "Where the server is, by HTTP. A variable of this machine is replaced. `host.docker.internal` is this machine.",
    ),
  headers: z
    .record(z.string().regex(headerPattern, { error: "must be a header's name" }), z.string())
    .default({})
    .describe(
      'Headers of each request, such as `Authorization: "Bearer $ISSUES_TOKEN"`. Variables of this machine are replaced. Only the gateway gets them.',
    ),
});

const ToolLimits = z.strictObject({
  calls: z
    .int()
    .min(1)
    .max(100_000)
    .default(200)
    .describe("How many calls one attempt of an agent's work may make."),
  answer: z
    .int()
    .min(minAnswer)
    .max(maxAnswer)
    .default(100_000)
    .describe(
      "How many characters of an answer an agent gets: of more, the beginning and the end.",
    ),
  timeout: durationBetween([1_000, "1s"], [3_600_000, "1h"])
    .prefault("60s")
    .describe("How long one call may take."),
});

/** A server of the file. */
const ToolServer = z.strictObject({
  mcp: Mcp.describe("The MCP server."),
  allow: z
    .array(AllowedTool)
    .max(100)
    .default([])
    .describe(
      "The tools that agents may call, by their names at the server: no other, also where the server has new ones. With `@sha256:…`, only for as long as its description has this digest.",
    ),
  ask: z
    .array(AllowedTool)
    .max(100)
    .default([])
    .describe(
      "Tools that agents may call, too, but each call only after a person has said yes to it: the work ends with the question, and the next attempt may make this call once.",
    ),
  price_per_call: z
    .number()
    .min(0.000_001)
    .max(1_000)
    .optional()
    .describe(
      "What one call of this server costs, in US dollars: it counts in the budgets, and is not made where one of them does not allow it.",
    ),
  limits: ToolLimits.prefault({}).describe("What calls of this server may take."),
});
const ToolServerFile = ToolServer.refine(({ allow, ask }) => allow.length + ask.length > 0, {
  path: ["allow"],
  error: "must name a tool, such as `search_issues`: no other can be called",
});
export type ToolServerFile = z.infer<typeof ToolServerFile>;

export const ToolsFile = z
  .record(ToolServerName, ToolServerFile)
  .refine((tools) => Object.keys(tools).length <= 50, {
    error: "must not name more than 50 servers",
  });

/** The servers that an agent names. */
export const ToolUses = z
  .array(ToolServerName)
  .max(50)
  .refine((names) => new Set(names).size === names.length, { error: "must name each server once" });

/** A server as the gateway gets it. Its headers are no part of it: they are a file. */
export const ToolServerSettings = z.strictObject({
  url: z.string(),
  allow: z.array(AllowedTool),
  /** Those for which a person is asked before each call. */
  ask: z.array(AllowedTool).optional(),
  /** What a call costs, in 1e-9 US dollars. */
  call_nanousd: z.int().optional(),
  calls: z.int(),
  answer_length: z.int(),
  timeout_ms: z.int(),
  needs_headers: z.boolean(),
});
export type ToolServerSettings = z.infer<typeof ToolServerSettings>;

/** `headers` may go to the gateway, and nowhere else. `hidden`: texts in them that are secrets. */
export type ToolsConfig = {
  settings: Record<string, ToolServerSettings>;
  headers: Record<string, ToolHeaders>;
};

export const ToolHeaders = z.strictObject({
  headers: z.record(z.string(), z.string()),
  hidden: z.array(z.string()),
});
export type ToolHeaders = z.infer<typeof ToolHeaders>;

/** The name of a file beside the keys of models: no model can be called so. */
export function headersFile(server: string): string {
  return `+${server}`;
}

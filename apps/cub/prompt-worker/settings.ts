// The built-in worker's settings, from its environment.
import { z } from "zod";
import { workerOutput } from "../../../lib/model/config-environment.ts";
import { Provider } from "../../../lib/model/config-models.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { withWhole } from "../../../lib/model/in-pieces.ts";
import { WorkspacePaths } from "../../../lib/model/workspace-path.ts";
import { anyProvider, providers } from "../../../lib/models/providers.ts";
import {
  countOf,
  DurationText,
  jsonText,
  NonEmpty,
  readEnvironment,
} from "../../../lib/service/environment.ts";
import { modelLimits } from "../tool/model-access.ts";

/** The variables that clients of each provider read. Only those of the agent's provider count. */
const providerVariables: Record<string, z.ZodOptional<z.ZodString>> = Object.fromEntries(
  Object.values(providers).flatMap(({ label, variables: { address, key, root } }) => {
    const version = root === "/v1" ? "with `/v1`" : "without `/v1`";
    return [
      [
        address,
        z.string().optional().describe(`Where ${label}'s API is, ${version}: the gateway.`),
      ],
      [key, z.string().optional().describe("The grant's token.")],
    ];
  }),
);

/** docs/reference/services.md#settings is made from the descriptions here. */
export const WorkEnvironment = z.object({
  SETT_MODEL: NonEmpty.describe("The provider's name of the model."),
  SETT_MODEL_PROVIDER: Provider.describe(`Whose API it has: ${anyProvider}.`),
  ...providerVariables,
  SETT_PROMPT_EXECUTION: z.string().default("").describe("`prompts.execution`."),
  SETT_WORKSPACE_MODE: z
    .enum(["ro", "rw"])
    .optional()
    .catch(undefined)
    .describe("`workspace.mode`; `rw`: what changed is committed."),
  SETT_WORKSPACE_PATHS: jsonText(WorkspacePaths, '["services/door/","*.md"]')
    .optional()
    .describe("`workspace.paths`, as a JSON array: no other file may change."),
  SETT_ON_BUDGET: z
    .enum(["fail", "ask"])
    .default("fail")
    .describe("What the agent does when its budget is spent."),
  SETT_MCP_URL: z.url().optional().describe("Where the tools of `tools` are: the gateway."),
  SETT_MCP_TOKEN: z.string().optional().describe("The grant's token, for them."),
  SETT_REMARKS: NonEmpty.optional().describe("The file to which remarks of people come."),
  SETT_REMARKS_KEY: z.string().default("").describe("The key of the marks of its lines."),
  SETT_WORK_STEPS: countOf("a whole number of at least 1")
    .default(100)
    .describe("How many answers the model may give."),
  SETT_WORK_TIMEOUT: DurationText.default(300_000).describe(
    "The agent's `timeout`: the worker ends a little before it.",
  ),
  SETT_WORK_OUTPUT: countOf("a number of tokens")
    .default(workerOutput)
    .describe("How many tokens one answer of the model may have."),
  SETT_WORK_CONTEXT: countOf("a number of characters")
    .default(400_000)
    .describe(
      "How many characters the conversation may have; older parts are then left out. Half of it for the context.",
    ),
  ...modelLimits,
  SETT_GIT_BINARY: NonEmpty.default("git").describe("The git that commits."),
  SETT_GIT_LIBRARY_PATH: NonEmpty.optional().describe("The library path of that git."),
});

export type WorkSettings = ReturnType<typeof readWorkSettings>;

/** Throws `environment-invalid`. Times are milliseconds. */
export function readWorkSettings(environment: Record<string, string | undefined>) {
  const read = readEnvironment(WorkEnvironment, withWhole(environment, ["SETT_PROMPT_EXECUTION"]));
  const provider = read.SETT_MODEL_PROVIDER;
  const variables = readEnvironment(z.object(providerVariables), environment);
  const { address: name, key: keyName } = providers[provider].variables;
  const baseUrl = variables[name];
  if (baseUrl === undefined || !URL.canParse(baseUrl)) {
    throw new SettError(
      "environment-invalid",
      `${name} ${baseUrl === undefined ? "is not set" : "is not a URL"}.`,
      {
        hint: "The cub sets it for its built-in worker; a worker started by hand needs it in its environment.",
      },
    );
  }
  return {
    model: {
      provider,
      name: read.SETT_MODEL,
      baseUrl: baseUrl.replace(/\/+$/, ""),
      key: variables[keyName] ?? "",
      maxOutputTokens: outputOf(read),
    },
    outside: outsideOf(read),
    prompt: read.SETT_PROMPT_EXECUTION,
    remarks: { path: read.SETT_REMARKS, key: read.SETT_REMARKS_KEY },
    isReadWrite: read.SETT_WORKSPACE_MODE === "rw",
    paths: read.SETT_WORKSPACE_PATHS,
    asksForBudget: read.SETT_ON_BUDGET === "ask",
    maxSteps: read.SETT_WORK_STEPS,
    timeoutMs: read.SETT_WORK_TIMEOUT,
    maxContextLength: contextOf(read),
    git: { path: read.SETT_GIT_BINARY, libraryPath: read.SETT_GIT_LIBRARY_PATH },
  };
}

type Read = z.infer<typeof WorkEnvironment>;

function outsideOf({ SETT_MCP_URL: url, SETT_MCP_TOKEN: token }: Read) {
  return url === undefined || token === undefined ? undefined : { url, token };
}

/** The model gives no longer answer, and a server of one's own may refuse to be asked for one. */
function outputOf({ SETT_WORK_OUTPUT: own, SETT_MODEL_OUTPUT, SETT_MODEL_CONTEXT }: Read): number {
  // Half of a small context is for what the model is asked.
  const half = SETT_MODEL_CONTEXT === undefined ? own : Math.ceil(SETT_MODEL_CONTEXT / 2);
  return Math.min(own, half, SETT_MODEL_OUTPUT ?? own);
}

/** In characters: a token of code has about three. The answer needs room beside them. */
function contextOf(read: Read): number {
  const { SETT_WORK_CONTEXT: own, SETT_MODEL_CONTEXT: tokens } = read;
  if (tokens === undefined) return own;
  return Math.max(1, Math.min(own, charactersPerToken * (tokens - outputOf(read))));
}

const charactersPerToken = 3;

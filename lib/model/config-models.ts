// The `models` of sett.yml: which language models agents may ask, and where their keys come from.
import { z } from "zod";
import { durationBetween } from "./config-quantities.ts";

/**
 * The provider whose API a model has. `openai`: also every server that is compatible with OpenAI's.
 */
export const Provider = z.enum(["anthropic", "openai"]);
export type Provider = z.infer<typeof Provider>;

const rates = {
  input: z.number().min(0).describe("A million input tokens."),
  output: z.number().min(0).describe("A million output tokens."),
  cached_input: z
    .number()
    .min(0)
    .optional()
    .describe("A million input tokens that the provider has cached. Default: `input`."),
  cache_write: z
    .number()
    .min(0)
    .optional()
    .describe("A million input tokens that the provider writes into its cache. Default: `input`."),
};

/** The unit is US dollars for a million tokens. */
export const Price = z.strictObject({
  ...rates,
  long_input: z
    .strictObject({ above: z.int().min(1).describe("A number of input tokens."), ...rates })
    .optional()
    .describe("The prices of a call that has more input than `above`, where they are others."),
});
export type Price = z.infer<typeof Price>;

/** A name of a model in sett.yml. `record` is a setting beside the models. */
const namePattern = /^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/;
export const ModelName = z
  .string()
  .regex(namePattern, { error: "must be lower-case letters, digits and inner `.`, `_` and `-`" })
  .brand<"ModelName">();
export type ModelName = z.infer<typeof ModelName>;

/** A model of the file. */
export const ModelFile = z
  .strictObject({
    provider: Provider.describe(
      "`anthropic`, or `openai` for every API that is compatible with OpenAI's.",
    ),
    model: z
      .string()
      .min(1, { error: "must not be empty" })
      .max(200)
      .describe("The provider's name of the model."),
    // No sentence shows what is written here.
    key: z
      .string({
        error: "must be text, best a variable of this machine such as `$ANTHROPIC_API_KEY`",
      })
      .optional()
      .describe(
        "The provider's key, as a variable of this machine such as `$ANTHROPIC_API_KEY`. Only the gateway gets it.",
      ),
    base_url: z
      .string({ error: "must be an address such as `http://host.docker.internal:11434/v1`" })
      .optional()
      .describe(
        "Where the API is, with its version. A variable of this machine is replaced. Default: the provider's own address.",
      ),
    price: Price.optional().describe(
      "The price, where it differs from the list of Sett, or is not in it.",
    ),
    max_output: z
      .int()
      .min(1)
      .max(10_000_000)
      .optional()
      .describe(
        "The longest answer in tokens: for calls that name no limit, for the built-in worker, and in `SETT_MODEL_OUTPUT` for an agent's command.",
      ),
    context: z
      .int()
      .min(256)
      .max(100_000_000)
      .optional()
      .describe(
        "How many tokens a request and its answer may have together: for the built-in worker, and in `SETT_MODEL_CONTEXT` for an agent's command.",
      ),
    parallel: z
      .int()
      .min(1)
      .max(1000)
      .default(10)
      .describe("How many calls may run at the same time. Others wait."),
    timeout: durationBetween([1_000, "1s"], [86_400_000, "1d"])
      .prefault("10m")
      .describe(
        "How long a call may go without a byte of its answer, how long it is repeated, and how long a bid may take.",
      ),
    fallback: z
      .array(z.string())
      .max(5)
      .optional()
      .describe(
        "Models of this file that answer in this order, while this one's provider is away or overloaded. They have the same `provider`.",
      ),
  })
  .transform(({ timeout, ...model }) => ({ ...model, timeout_ms: timeout }));
export type ModelFile = z.infer<typeof ModelFile>;

/**
 * The record keeps this of each call beside its event: the bodies of request and answer, or only
 * their digests.
 */
export const RecordMode = z.enum(["bodies", "digests"]);
export type RecordMode = z.infer<typeof RecordMode>;

/** Keys of `models` beside the models, which no model can have as its name. */
export const besideModels = ["record", "proxy", "ca"] as const;

/**
 * The way to the providers. `proxy`: undefined means a direct one, and `no_proxy` are the hosts
 * that need none. `ca`: the absolute path of a PEM file of this machine.
 */
export type ProviderWay = {
  proxy?: string | undefined;
  no_proxy?: string | undefined;
  ca?: string | undefined;
};

/**
 * The `models` of the file: `record`, `proxy` and `ca`, and every other key is a model, whose name
 * `resolveModels` checks.
 */
export const ModelsFile = z
  .object({
    record: RecordMode.default("bodies").describe(
      "What is kept of each call: `bodies` of request and answer, or only their `digests`. `record` cannot be a model's name.",
    ),
    proxy: z
      .string({ error: "must be an address such as `http://proxy.example.org:3128`, or `none`" })
      .optional()
      .describe(
        "The proxy through which the services of the instance reach other hosts (models, tools, webhooks, forges, identity providers, traces), or `none`. A variable of this machine is replaced. Default: HTTPS_PROXY, but for the hosts of NO_PROXY, of the environment of `sett up`.",
      ),
    ca: z
      .string({ error: "must be the path of a PEM file of this machine" })
      .min(1, { error: "must not be empty" })
      .optional()
      .describe(
        "A PEM file of this machine with certificates that these services trust beside the usual ones. Default: NODE_EXTRA_CA_CERTS or SSL_CERT_FILE of the environment of `sett up`.",
      ),
  })
  .catchall(ModelFile)
  .meta({ propertyNames: { pattern: namePattern.source } })
  .transform(
    ({ record, proxy, ca, ...models }): ModelsOfFile => ({
      record,
      ...(proxy !== undefined && { proxy }),
      ...(ca !== undefined && { ca }),
      models,
    }),
  );

type ModelsOfFile = {
  record: RecordMode;
  proxy?: string;
  ca?: string;
  models: Record<string, ModelFile>;
};

/**
 * A model as the gateway gets it. The key is not part of it, and of no other setting: it is a file.
 * `price` undefined: it is not known.
 */
export const ModelSettings = z.strictObject({
  provider: Provider,
  model: z.string(),
  /** Without a slash at its end. */
  base_url: z.string(),
  price: Price.optional(),
  max_output: z.int().optional(),
  context: z.int().optional(),
  parallel: z.int(),
  timeout_ms: z.int(),
  /** False where sett.yml names no key: the provider, a server of one's own, needs none. */
  needs_key: z.boolean(),
  /** The names of those that answer in its place, in this order. */
  fallback: z.array(z.string()).optional(),
});
export type ModelSettings = z.infer<typeof ModelSettings>;

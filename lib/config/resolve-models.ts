// The addresses and keys of `models`, with `${NAME}` taken from the host. No sentence shows a key.
import type { ModelsConfig, SettFile } from "../model/config.ts";
import { ModelName, type ModelSettings, Provider } from "../model/config-models.ts";
import { isThisMachine } from "../model/proxy.ts";
import { withoutUndefined } from "../model/without-undefined.ts";
import { priceOf } from "../models/price-list.ts";
import { providers } from "../models/providers.ts";
import type { ConfigPath } from "./problems.ts";
import { type HostEnvironment, type ProblemKind, replaceVariables } from "./resolve-environment.ts";

type Finding = { path: ConfigPath; sentence: string };

export type ResolvedModels = {
  /** By the model's name; an address is empty where it is wrong. */
  values: Map<string, { base_url: string; key: string | undefined }>;
  mistakes: Finding[];
  /** Variables that this machine does not have: another one may have them. */
  missing: Finding[];
  warnings: Finding[];
};

type TextKey = "base_url" | "key";

const maxKeyLength = 4_000;

/**
 * `models` as the file has it: the schema reports what is of another kind. With `withoutKeys` no
 * key is needed or read.
 */
export function resolveModels(
  models: unknown,
  host: HostEnvironment,
  withoutKeys = false,
): ResolvedModels {
  const found: ResolvedModels = { values: new Map(), mistakes: [], missing: [], warnings: [] };
  for (const [name, model] of Object.entries<unknown>(Object(models))) {
    if (name === "record" || !(model instanceof Object)) continue;
    const nameIssue = ModelName.safeParse(name).error?.issues[0];
    if (nameIssue !== undefined)
      found.mistakes.push({ path: ["models", name], sentence: nameIssue.message });
    const { data: provider } = Provider.safeParse(Reflect.get(model, "provider"));
    if (provider === undefined) continue;

    const report = (key: TextKey, kind: ProblemKind | "warnings") => (sentence: string) =>
      void found[kind].push({ path: ["models", name, key], sentence });
    /** Undefined where the file has no such key, and empty where its value is wrong. */
    const read = (key: TextKey, problemOf: (text: string) => string | undefined) => {
      const raw: unknown = Reflect.get(model, key);
      if (typeof raw !== "string") return raw === undefined ? undefined : "";
      let isWhole = true;
      const text = replaceVariables(raw, host, (sentence, kind) => {
        isWhole = false;
        report(key, kind)(sentence);
      });
      const problem = isWhole ? problemOf(text) : undefined;
      if (problem !== undefined) report(key, "mistakes")(problem);
      return isWhole && problem === undefined ? text : "";
    };

    const base_url = (read("base_url", urlProblem) ?? providers[provider].address).replace(
      /\/+$/,
      "",
    );
    if (isOwnMachine(base_url)) report("base_url", "warnings")(isOwnSentence);
    found.values.set(name, { base_url, key: withoutKeys ? undefined : read("key", keyProblem) });
    const raw: unknown = Reflect.get(model, "key");
    const owner = Provider.options.find(
      (one) => hostOf(providers[one].address) === hostOf(base_url),
    );
    const remedy = `write \`key: \${${providers[owner ?? provider].variables.key}}\``;
    if (raw === undefined && owner !== undefined && !withoutKeys) {
      report(
        "key",
        "mistakes",
      )(`is missing: ${hostOf(base_url)} answers nothing without a key; ${remedy}`);
    }
    if (typeof raw === "string" && raw.replace(/\$(?:\w+|\{\w+\})/g, "") !== "") {
      report(
        "key",
        "warnings",
      )(`is written into the file, where others can read it: ${remedy}, and set the variable`);
    }
  }
  return found;
}

const isOwnSentence =
  "is the gateway's own container, unless it runs with `--runtime process`: write `host.docker.internal` for this machine";

/** The models as the gateway gets them, and their keys. */
export function modelsConfig(
  { record, models }: SettFile["models"],
  values: ResolvedModels["values"],
): ModelsConfig {
  const config: ModelsConfig = { record, settings: {}, keys: {} };
  for (const [name, { provider, model, key, base_url: _, price, ...settings }] of Object.entries(
    models,
  )) {
    const resolved = values.get(name);
    const listed = priceOf(provider, model);
    config.settings[name] = withoutUndefined({
      ...settings,
      ...{ provider, model, base_url: resolved?.base_url ?? "", needs_key: key !== undefined },
      price: price ?? listed?.price,
      max_output: settings.max_output ?? listed?.max_output,
    }) satisfies ModelSettings;
    if (resolved?.key !== undefined) config.keys[name] = resolved.key;
  }
  return config;
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname ?? "";
}

function isOwnMachine(url: string): boolean {
  return isThisMachine(hostOf(url));
}

function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return "must be an address with the API's version, such as `http://host.docker.internal:11434/v1`";
  }
  if (url.username !== "" || url.password !== "")
    return "must not have a user or a password: write the key as `key`";
  if (url.search !== "" || url.hash !== "") return "must end with the path: no `?` and no `#`";
  return undefined;
}

/** A key is sent as a header. */
function keyProblem(text: string): string | undefined {
  if (text === "")
    return "is empty: set the variable, or leave `key` out for a server that needs none";
  if (text.length > maxKeyLength) return `must not be longer than ${maxKeyLength} characters`;
  return /^[\x21-\x7e]+$/.test(text)
    ? undefined
    : "must be ASCII characters in one line, without spaces";
}

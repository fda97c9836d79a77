// The addresses and keys of `models`, with `${NAME}` taken from the host. No sentence shows a key.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ModelsConfig, SettFile } from "../model/config.ts";
import {
  besideModels,
  ModelName,
  type ModelSettings,
  Provider,
  type ProviderWay,
} from "../model/config-models.ts";
import { isThisMachine } from "../model/proxy.ts";
import { withoutUndefined } from "../model/without-undefined.ts";
import { priceOf } from "../models/price-list.ts";
import { providers } from "../models/providers.ts";
import type { ConfigPath } from "./problems.ts";
import { type HostEnvironment, type ProblemKind, replaceVariables } from "./resolve-environment.ts";

type Finding = { path: ConfigPath; sentence: string };

export type ResolvedModels = {
  way: ProviderWay;
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
  const found: ResolvedModels = {
    way: {},
    ...{ values: new Map(), mistakes: [], missing: [], warnings: [] },
  };
  found.way = wayOf(Object(models), host, (sentence, kind) =>
    found[kind].push({ path: ["models", "proxy"], sentence }),
  );
  for (const [name, model] of Object.entries<unknown>(Object(models))) {
    if (isBeside(name) || !(model instanceof Object)) continue;
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

function isBeside(name: string): boolean {
  return besideModels.some((one) => one === name);
}

/** The file's, or that of the environment. The gateway's container is not this machine. */
function wayOf(
  { proxy: raw, ca: file }: { proxy?: unknown; ca?: unknown },
  host: HostEnvironment,
  report: (sentence: string, kind: ProblemKind) => void,
): ProviderWay {
  const ofHost = (...names: string[]) => names.map((name) => host[name]).find((value) => value);
  const usual = ofHost("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY");
  const written = typeof raw === "string" ? replaceVariables(raw, host, report) : undefined;
  if (written !== undefined && written !== "none" && proxyAddress(written) === undefined)
    report("must be an address such as `http://proxy.example.org:3128`, or `none`", "mistakes");
  const proxy = written === "none" ? undefined : proxyAddress(written ?? usual ?? "");
  const usualCa = ofHost("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE");
  // A variable that names no file is no mistake of sett.yml.
  const ca = typeof file === "string" ? file : usualCa && existsSync(usualCa) ? usualCa : undefined;
  return withoutUndefined({
    proxy,
    no_proxy: proxy === undefined ? undefined : (ofHost("no_proxy", "NO_PROXY") ?? ""),
    ca,
  });
}

function proxyAddress(text: string): string | undefined {
  const url = URL.parse(text) ?? URL.parse(`http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "") return undefined;
  if (isThisMachine(url.hostname)) url.hostname = "host.docker.internal";
  return url.href.replace(/\/$/, "");
}

const isOwnSentence =
  "is the gateway's own container, unless it runs with `--runtime process`: write `host.docker.internal` for this machine";

/** The models as the gateway gets them, and their keys. */
export function modelsConfig(
  { record, models }: SettFile["models"],
  { values, way }: Pick<ResolvedModels, "values" | "way">,
  folder: string,
): ModelsConfig {
  const ca = way.ca === undefined ? {} : { ca: resolve(folder, way.ca) };
  const config: ModelsConfig = { record, way: { ...way, ...ca }, settings: {}, keys: {} };
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

// The settings that `sett eval` compares, from the words of `--with`: each word names a key of
// sett.yml and its values, and several words multiply. Pure.
import { isNode, isSeq, parseDocument } from "yaml";
import { SettError } from "../model/errors.ts";
import { isObject } from "../model/json.ts";
import { nearestWord } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";
import { hideVariables, showVariables } from "./yaml-variables.ts";

/** `word`: as a person has written it, `coder.model=cheap`. */
export type Override = { word: string; path: ConfigPath; value: unknown };

/** `name`: the words of its overrides. */
export type EvalSetting = { name: string; overrides: Override[] };

/** The one setting where nothing is overridden. */
export const plainSetting = "sett.yml";

const maxSettings = 50;
const example = "For example: --with coder.model=cheap,strong";
const key = /^[A-Za-z][\w-]*(?:\.[\w-]+|\[\d+\])*(?==)/;

/**
 * `parts`: the words of `--with`, which were split at their commas. `data`: of sett.yml. Throws
 * `usage`.
 */
export function evalSettings(parts: readonly string[], data: unknown): EvalSetting[] {
  let settings: EvalSetting[] = [{ name: "", overrides: [] }];
  const seen = new Set<string>();
  for (const word of wordsIn(parts)) {
    const [name = ""] = key.exec(word) ?? [];
    const path = pathOf(name, data);
    if (seen.has(path.join("."))) throw wrong(`--with names ${name} twice.`);
    seen.add(path.join("."));
    const values = valuesIn(name, word.slice(name.length + 1));
    settings = settings.flatMap((setting) =>
      values.map(({ text, value }): EvalSetting => {
        const override = { word: `${name}=${text}`, path, value };
        const overrides = [...setting.overrides, override];
        return { name: overrides.map((one) => one.word).join(" "), overrides };
      }),
    );
    if (settings.length > maxSettings)
      throw wrong(`--with asks for more than ${maxSettings} settings.`, "Name fewer values.");
  }
  return settings.map((setting) => ({ ...setting, name: setting.name || plainSetting }));
}

/** A part without a key is one more value of the part before it. */
function wordsIn(parts: readonly string[]): string[] {
  const words: string[] = [];
  for (const part of parts) {
    if (key.test(part)) words.push(part);
    else if (words.length > 0) words.push(`${words.pop()},${part}`);
    else throw wrong(`--with takes a key of sett.yml and its values, not \`${part}\`.`);
  }
  return words;
}

/** `coder.model` is short for `agents.coder.model`. */
function pathOf(name: string, data: unknown): ConfigPath {
  const path = name
    .replace(/\[(\d+)\]/g, ".$1")
    .split(".")
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const whole = isObject(data) ? data : {};
  const agents = Object.keys(isObject(whole.agents) ? whole.agents : {});
  const [first = "", second = ""] = path.map(String);
  if (first === "agents" && path.length > 1) {
    if (!agents.includes(second)) throw unknown(name, second, agents);
    return path;
  }
  if (agents.includes(first) && path.length > 1) return ["agents", ...path];
  if (path.length > 1 && !topKeys.has(first)) throw unknown(name, first, [...agents, ...topKeys]);
  return path;
}

/** What the schema itself says of a wrong key below these is said where the file is checked. */
const topKeys = new Set([
  ...["agents", "models", "tools", "limits", "secrets", "people", "services", "retention"],
  ...["images", "kubernetes", "proof", "forges"],
]);

function unknown(name: string, step: string, known: readonly string[]): SettError {
  const meant = nearestWord(step, known);
  return wrong(
    `--with ${name}: sett.yml has no \`${step}\` there.`,
    meant === undefined ? `It has ${known.join(", ")}.` : `Did you mean \`${meant}\`?`,
  );
}

/** Each with its text, as it was typed. */
function valuesIn(name: string, text: string): { text: string; value: unknown }[] {
  const document = parseDocument(hideVariables(`[${text}]`), { prettyErrors: false });
  const list = document.contents;
  if (document.errors.length > 0 || !isSeq(list) || list.items.length === 0)
    throw wrong(`--with ${name}: \`${text}\` is no list of values.`);
  showVariables(document);
  const values: unknown[] = document.toJS();
  return list.items.map((item, at) => {
    const [from = 0, to = 0] = isNode(item) ? (item.range ?? []) : [];
    return { text: `[${text}]`.slice(from, to).trim(), value: values[at] };
  });
}

function wrong(message: string, hint = example): SettError {
  return new SettError("usage", message, { hint });
}

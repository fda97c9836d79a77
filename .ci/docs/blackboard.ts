// The blackboard's reference: keys and types of events from the comments beside them, functions
// from the headers of the Lua files.
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Glob } from "bun";
import { keysOf } from "../../lib/blackboard/records/keys.ts";
import { EventType } from "../../lib/model/event.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { commentsOf } from "./comments.ts";
import { bullets, sentence } from "./markdown.ts";

const lua = join(import.meta.dir, "../../lib/blackboard/redis/lua");

export const blackboardRegions = {
  async keys(): Promise<string> {
    const comments = await commentsOf("lib/blackboard/records/keys.ts", "keysOf");
    const { prefix, ...keys } = keysOf(InstanceName.parse("i"));
    return bullets(
      Object.entries(keys).map(([name, key]) => {
        const pattern = typeof key === "string" ? key : patternOf(key as (id: string) => string);
        const [, kind = "", text = ""] = /^(\w+): ([\s\S]*)$/.exec(commentOf(comments, name)) ?? [];
        return `\`${pattern.slice(prefix.length)}\` (${kind}): ${sentence(text)}`;
      }),
    );
  },

  async "event-types"(): Promise<string> {
    const comments = await commentsOf("lib/model/event.ts", "EventType");
    return bullets(
      EventType.options.map((type) => `\`${type}\`: ${sentence(commentOf(comments, type))}`),
    );
  },

  async functions(): Promise<string> {
    const files = (await Array.fromAsync(new Glob("*.lua").scan(lua)))
      .filter((file) => !file.startsWith("prelude"))
      .toSorted();
    const headers = await Promise.all(
      files.map(async (file) => headerOf(await readFile(join(lua, file), "utf8"))),
    );
    return bullets(
      files.map((file, index) => {
        const { purpose, args, result } = headers[index] ?? { purpose: "", args: "", result: "" };
        const name = `[\`${basename(file, ".lua")}\`](../../lib/blackboard/redis/lua/${file})`;
        return `${name}: ${purpose} Arguments: ${args.replaceAll(/[^,]+(?=,|$)/g, "`$&`").replaceAll("` ", " `")}. Result: ${sentence(outcomesText(result))}`;
      }),
    );
  },
};

/** The key with its parameter's name in braces, as the source calls it. */
function patternOf(key: (id: string) => string): string {
  const [, parameter = "id"] = /^\(?(\w+)/.exec(key.toString()) ?? [];
  return key(`{${parameter}}`);
}

/** Throws where a member has no comment, because its line in the reference would be empty. */
function commentOf(comments: ReadonlyMap<string, string>, name: string): string {
  const comment = comments.get(name);
  if (comment === undefined) throw new Error(`${name} has no comment that says what it is.`);
  return comment;
}

/** Returns what the header says before KEYS, and the arguments and results that it names. */
function headerOf(source: string): { purpose: string; args: string; result: string } {
  const lines = source.split("\n");
  const header = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith("--")),
  );
  const purpose = header.slice(
    0,
    header.findIndex((line) => line.startsWith("-- KEYS ")),
  );
  const labelled = (label: string) => {
    const from = header.findIndex((line) => line.startsWith(`-- ${label} `));
    const more = header.slice(from + 1).findIndex((line) => !line.startsWith("--  "));
    const to = more === -1 ? header.length : from + 1 + more;
    return textOf(header.slice(from, to)).slice(label.length + 1);
  };
  return { purpose: sentence(textOf(purpose)), args: labelled("ARGS"), result: labelled("Result") };
}

function textOf(comments: readonly string[]): string {
  return comments.map((line) => line.replace(/^--\s*/, "")).join(" ");
}

/** `placed (word) | refused (reason)` with each part as code. */
function outcomesText(result: string): string {
  return /^\w+(?: \(|$| \|)/.test(result) ? result.replaceAll(/[a-z_]+/g, "`$&`") : result;
}

// The names by which agents know the tools of MCP servers. They follow from sett.yml alone, and not
// from what a server says.
import { createHash } from "node:crypto";
import type { Caller } from "../../../lib/blackboard/port/models.ts";
import { allowedTool, type ToolServerSettings } from "../../../lib/model/config-tools.ts";
import type { ModelToken } from "../../../lib/model/model-call.ts";

/**
 * `digest`: the only one that its description may have; undefined: any. `isAsked`: a person is
 * asked before each call.
 */
export type NamedTool = {
  server: string;
  name: string;
  digest: string | undefined;
  isAsked: boolean;
};

/** The one whose call it is: a grant that runs. */
export type ToolCaller = { caller: Caller; token: ModelToken };

/** Providers take 64 characters, and command lines put a word of their own before a name. */
const maxLength = 50;
const hashLength = 8;
/** Tools of the built-in worker, beside which they stand. */
const taken = new Set(["apply_patch", "edit_file", "list_files", "read_file", "write_file"]);

/** By the name for agents: the server's, `_`, and the tool's own, where both are simple. */
export function toolNames(
  servers: ReadonlyMap<string, ToolServerSettings>,
  uses: readonly string[],
): Map<string, NamedTool> {
  const named = new Map<string, NamedTool>();
  for (const server of uses) {
    const { allow = [], ask = [] } = servers.get(server) ?? {};
    for (const entry of [...allow, ...ask]) {
      const { name, digest } = allowedTool(entry);
      const plain = `${server}_${name}`;
      const simple = plain.replace(/[^A-Za-z0-9_-]/g, "_");
      const isFree = !named.has(plain) && !taken.has(plain);
      const isUsable = simple === plain && plain.length <= maxLength && isFree;
      named.set(isUsable ? plain : withHash(simple, `${server}\n${name}`), {
        ...{ server, name, digest, isAsked: ask.includes(entry) },
      });
    }
  }
  return named;
}

function withHash(simple: string, full: string): string {
  const hash = createHash("sha256").update(full).digest("hex").slice(0, hashLength);
  return `${simple.slice(0, maxLength - hashLength - 1)}_${hash}`;
}

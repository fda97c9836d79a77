// An assistant in an editor, played by the MCP library's own client: it starts `sett mcp`, and
// speaks with it over stdin and stdout.
import process from "node:process";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { settBinary } from "../process/compiled.ts";

export type Called = { isError: boolean; text: string; data: Record<string, unknown> };

type Place = { cwd: string; env: Record<string, string>; options?: readonly string[] };

/** It introduces itself as `test-editor 1.2`. */
export async function connectEditor({ cwd, env, options = [] }: Place) {
  const client = new Client({ name: "test-editor", version: "1.2" });
  const whole = { PATH: process.env.PATH ?? "", GIT_CONFIG_GLOBAL: "/dev/null", ...env };
  await client.connect(
    new StdioClientTransport({
      command: settBinary,
      args: ["mcp", ...options],
      cwd,
      env: whole,
      stderr: "pipe",
    }),
  );
  return {
    client,
    async call(name: string, args: Record<string, unknown> = {}): Promise<Called> {
      const { isError, content, structuredContent } = await client.callTool({
        name,
        arguments: args,
      });
      const [first] = content as { text: string }[];
      return {
        isError: isError === true,
        text: first?.text ?? "",
        data: (structuredContent ?? {}) as Called["data"],
      };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

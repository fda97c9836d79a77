// The program with telemetry, as a compiled process.
import { createInterface } from "node:readline";
import { compileForTests } from "../process/compiled.ts";
import { startDetached } from "../process/detached-process.ts";
import { waitFor } from "../wait-for.ts";

const binary = await compileForTests("test/support/telemetry/program.ts");

export type TelemetryProgram = AsyncDisposable & {
  readonly lines: { msg: string; [field: string]: unknown }[];
  /** The text of its scrape address. */
  scrape(): Promise<string>;
  /** With SIGTERM. */
  stop(): Promise<void>;
};

/** Resolves once it sees what happens from now on. */
export async function startTelemetryProgram(environment: Record<string, string>): Promise<TelemetryProgram> {
  const child = startDetached([binary], { env: { PATH: process.env.PATH ?? "", ...environment } });
  const lines: TelemetryProgram["lines"] = [];
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
  createInterface({ input: child.stderr }).on("line", (line) => errors.push(line));
  const serving = await waitFor("the program to serve", () => {
    if (errors.length > 0) throw new Error(errors.join("\n"));
    return lines.find(({ msg }) => msg === "Serving");
  });
  return {
    lines,
    scrape: async () => (await fetch(`http://127.0.0.1:${serving.port}/metrics`)).text(),
    async stop() {
      child.signal("SIGTERM");
      await child.exited;
    },
    async [Symbol.asyncDispose]() {
      child.signal("SIGKILL");
      await child.exited;
    },
  };
}

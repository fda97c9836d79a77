// The program that has telemetry, which is the API's, as a compiled process.
import { type ServiceProcess, startService } from "../process/service-process.ts";
import { waitFor } from "../wait-for.ts";

export type TelemetryProgram = AsyncDisposable & {
  log: ServiceProcess["log"];
  /** The text of its scrape address. */
  scrape(): Promise<string>;
  /** Ends it with SIGTERM, and returns its exit code. */
  stop(): Promise<number>;
};

/** Resolves once it sees what happens from now on. */
export async function startTelemetryProgram(
  environment: Record<string, string>,
): Promise<TelemetryProgram> {
  const ports = {
    SETT_API_PORT: "0",
    SETT_API_HOST: "127.0.0.1",
    SETT_HEALTH_PORT: "0",
    SETT_HEALTH_HOST: "127.0.0.1",
  };
  const program = startService("api", { ...ports, SETT_REDIS_TIMEOUT: "20s", ...environment });
  const said = (words: string) =>
    waitFor(`the program to say "${words}"`, () => {
      if (program.errors() !== "") throw new Error(program.errors());
      return program.log().find(({ msg }) => msg.startsWith(words));
    });
  const { health_port } = await said("API started");
  const scrape = async () => (await fetch(`http://127.0.0.1:${health_port}/metrics`)).text();
  // It begins with the first one, or where traces are exported.
  await scrape();
  await said("Telemetry begins");
  return {
    log: program.log,
    scrape,
    async stop() {
      program.signal("SIGTERM");
      return await program.exited;
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

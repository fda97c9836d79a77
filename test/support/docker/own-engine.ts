// Starts an Engine of a test's own, whatever it is started with.
import { startDetached } from "../process/detached-process.ts";
import { waitFor } from "../wait-for.ts";

type OwnEngine = {
  command: readonly [string, ...string[]];
  /** Ends it, in place of SIGTERM. */
  stopSignal?: NodeJS.Signals;
  answers(): Promise<boolean>;
  /** Removes what it has left. */
  clear(): Promise<void>;
};

/**
 * Resolves once it answers, with what ends it, and what kills it and clears nothing. Throws what it
 * has said where it ends before, and has cleared up then.
 */
export async function startOwnEngine({
  command,
  stopSignal = "SIGTERM",
  answers,
  clear,
}: OwnEngine): Promise<{ stop(): Promise<void>; kill(): Promise<void> }> {
  const engine = startDetached(command);
  let log = "";
  for (const stream of [engine.stdout, engine.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      log = `${log}${text}`.slice(-4_000);
    });
  }
  let exitCode: number | undefined;
  void engine.exited.then((code) => {
    exitCode = code;
  });
  const end = async (signal: NodeJS.Signals) => {
    engine.signal(signal);
    await engine.exited;
  };
  const stop = async () => {
    await end(stopSignal);
    await clear();
  };
  try {
    await waitFor("the Engine to answer", async () => {
      if (exitCode !== undefined) throw new Error(`It ended with exit code ${exitCode}.`);
      return await answers();
    });
  } catch (error) {
    await stop();
    throw new Error(`No Engine of the test's own:\n${log}`, { cause: error });
  }
  return { stop, kill: () => end("SIGKILL") };
}

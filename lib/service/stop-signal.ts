// An orderly stop: SIGTERM from a supervisor, SIGINT from a person at the terminal.
import process from "node:process";

/** Aborts with the first of these signals; its name is the reason. Later ones change nothing. */
export function stopSignal(names: readonly NodeJS.Signals[] = ["SIGTERM", "SIGINT"]): AbortSignal {
  const stop = new AbortController();
  for (const name of names) process.on(name, () => stop.abort(name));
  return stop.signal;
}

/**
 * Ends the program at the signal, as long as there is no work to finish: the caller calls the
 * returned function when there is.
 */
export function exitOn(signal: AbortSignal, exitCode = 0): () => void {
  const exit = () => process.exit(exitCode);
  signal.addEventListener("abort", exit, { once: true });
  return () => signal.removeEventListener("abort", exit);
}

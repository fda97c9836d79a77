// An orderly end: SIGTERM from a supervisor, SIGINT from a person at the terminal.
import process from "node:process";

/** Aborts with the first SIGTERM or SIGINT; the signal's name is the reason. Later ones change nothing. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => stop.abort(name));
  return stop.signal;
}

/** Before there is work there is nothing to end in good order: until the function that it returns is called, the signal ends the program at once. */
export function leaveOn(signal: AbortSignal, exitCode = 0): () => void {
  const leave = () => process.exit(exitCode);
  signal.addEventListener("abort", leave, { once: true });
  return () => signal.removeEventListener("abort", leave);
}

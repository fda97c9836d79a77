// The bytes with which this program was started: its arguments are text already, in which broken
// bytes were replaced.
import { readFile } from "node:fs/promises";

/** True where the system does not show it, as macOS does not. */
export async function isOwnCommandLineUtf8(): Promise<boolean> {
  try {
    const bytes = await readFile("/proc/self/cmdline");
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch (error) {
    return !(error instanceof TypeError);
  }
}

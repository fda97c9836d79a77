// Whether this program was started to outlive its terminal.
import { readFileSync } from "node:fs";

const ofHangup = 1n;

/**
 * True where SIGHUP was ignored at the start, as `nohup` does it. Call it before anything handles
 * the signal. False where the system does not say it: only Linux does.
 */
export function isHangupIgnored(): boolean {
  try {
    const [, mask] =
      /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return mask !== undefined && (BigInt(`0x${mask}`) & ofHangup) !== 0n;
  } catch {
    return false;
  }
}

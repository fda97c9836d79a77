// Judgements that several subjects share: free space, and clocks.

import { sizeText } from "../../../lib/model/size-text.ts";
import type { Finding } from "../facts/finding.ts";
import type { ClockReading, Disk } from "./facts.ts";

const gibibyte = 1024 ** 3;
const warnBelowBytes = 5 * gibibyte;
const problemBelowBytes = gibibyte / 2;
/** Each file takes an inode, however small it is. */
const [warnBelowShare, problemBelowShare] = [0.05, 0.01];

/** `remedy`: how to make room there. */
export function diskFinding(
  subject: string,
  { path, freeBytes, totalBytes, files }: Disk,
  remedy: string,
): Finding {
  const room = `${sizeText(freeBytes)} free of ${sizeText(totalBytes)} at ${path}`;
  const hasFew = files !== undefined && files.free < files.total * warnBelowShare;
  const found = hasFew ? `${room}, ${files.free} inodes free of ${files.total}` : room;
  const base = { subject, check: "disk", found };
  if (freeBytes >= warnBelowBytes && !hasFew) return { ...base, level: "ok" };
  const why = "A full disk stops Redis, and no result is stored until there is room again.";
  const isFull =
    freeBytes < problemBelowBytes || (hasFew && files.free < files.total * problemBelowShare);
  return { ...base, level: isFull ? "problem" : "warning", why, remedy };
}

const warnAtMs = 2_000;

/** The difference that is certain: the clock was read at some moment between the two times. */
export function clockFinding(
  subject: string,
  { atMs, betweenMs: [from, to] }: ClockReading,
): Finding {
  const aheadMs = atMs > to ? atMs - to : Math.min(0, atMs - from);
  const base = { subject, check: "clock" };
  if (Math.abs(aheadMs) < warnAtMs)
    return { ...base, level: "ok", found: "agrees with this machine's" };
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  return {
    ...base,
    level: "warning",
    found: `${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} this machine's`,
    why: "Ages, `--since` and the times of logs are wrong by as much.",
    remedy:
      "Synchronise both clocks: `timedatectl set-ntp true`. Of a virtual machine that has slept, restart the machine.",
  };
}

/** Whether a version such as `20.10.24+dfsg1` is at least `1.41`, by its first two numbers. */
export function isAtLeast(
  version: string,
  wanted: readonly [major: number, minor: number],
): boolean {
  const [, major = "0", minor = "0"] = /(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  return Number(major) > wanted[0] || (Number(major) === wanted[0] && Number(minor) >= wanted[1]);
}

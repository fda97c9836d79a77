import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { isMarked, processMarker } from "../../../../lib/process/bid-mark.ts";

test.skipIf(process.platform !== "linux")(
  "a marked process and what it starts, in whichever session, without its environment, keep the mark; no other has it",
  async () => {
    const mark = await processMarker();
    expect(mark).toBeDefined();
    // It waits for its input, and so is marked before it starts anything.
    const leaving = "read go; env -i setsid sleep 60 > /dev/null 2>&1 & echo $!";
    const child = spawn("/bin/sh", ["-c", leaving.replace("read go; ", "read go\n")], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const pid = child.pid ?? 0;
    expect(isMarked(pid)).toBe(false);
    mark?.(pid);
    expect(isMarked(pid)).toBe(true);
    child.stdin.end("go\n");
    const [line] = await once(child.stdout, "data");
    const left = Number(String(line));
    try {
      expect(isMarked(left)).toBe(true);
    } finally {
      process.kill(left, "SIGKILL");
    }
    expect(isMarked(process.pid)).toBe(false);
    // No process has that number.
    expect(isMarked(0)).toBe(false);
  },
);

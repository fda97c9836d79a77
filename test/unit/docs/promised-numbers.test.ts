// The limits that docs/promises.md promises by their numbers are those of the programs. That each
// limit holds, other tests show with shorter ones.
import { expect, test } from "bun:test";
import { defaultLimits } from "../../../apps/api/deps.ts";
import { idleMs } from "../../../apps/gateway/egress/run-egress.ts";
import { usualKillAfterMs } from "../../../lib/process/run-command.ts";
import { usualPatienceMs } from "../../../lib/runtime/docker/patience.ts";
import { readPage } from "../../support/docs/pages.ts";

const rows = readPage("docs/promises.md").split("\n");

test.each([
  [
    "a connection through the proxy may be idle",
    "so many connections through the proxy",
    "10 min",
    idleMs,
  ],
  [
    "a command has after SIGTERM",
    "gets SIGTERM, and SIGKILL a moment later",
    "5 s",
    usualKillAfterMs,
  ],
  ["the Engine may take", "No command waits for ever for an Engine", "2 min", usualPatienceMs],
  [
    "a client of a stream may take nothing",
    "a client that takes nothing is cut",
    "30 s",
    defaultLimits.stream.patienceMs,
  ],
] as const)("the time that %s is the one that is promised", (_title, promise, number, limitMs) => {
  const row = rows.find((line) => line.includes(promise));
  expect(row?.split("|")[2]).toContain(number);
  const [, count = "", unit] = /(\d+) (s|min)$/.exec(number) ?? [];
  expect(limitMs).toBe(Number(count) * (unit === "min" ? 60_000 : 1_000));
});

import { expect, test } from "bun:test";
import { logLine } from "../../../../../apps/cli/render/log-line.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";

const plain = createStyle(false);
const said = (fields: Record<string, unknown>) =>
  logLine(
    JSON.stringify({ time: "2026-11-22T10:00:00.000Z", level: "info", msg: "Said", ...fields }),
    plain,
  );

test("long output is shown by its beginning and its end, with how much is left out", () => {
  const line = said({ stderr: `first ${"x".repeat(1_500)} last` });
  expect(line).toMatch(/ {2}stderr=first x+ \[… 1111 characters left out …\] x+ last$/);
  expect(line.length).toBeLessThan(520);
});

test("a short text is shown whole, without control characters", () => {
  expect(said({ command: "/bin/sh -c true", stdout: "a\u001b[2Jb\u009bc\nd\u0007" })).toMatch(
    / {2}Said {2}command=\/bin\/sh -c true {2}stdout=ab�c d�$/,
  );
});

test("ids are shortened like everywhere else", () => {
  expect(said({ logical_id: "9f3a12b4-0000-4000-8000-000000000000" })).toEndWith(
    "  logical_id=9f3a12b4",
  );
});

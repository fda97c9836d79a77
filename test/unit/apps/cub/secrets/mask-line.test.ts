import { expect, test } from "bun:test";
import { maskedLine } from "../../../../../apps/cub/secrets/mask-line.ts";
import { maskerOf } from "../../../../../apps/cub/secrets/masker.ts";

const values = ["exclusive", "2026-11-25", "duration", "hunter2hunter2"];
const masker = maskerOf(values.map((value, at) => [`s${at}`, Buffer.from(value)]));

test("a line keeps what readers of logs go by, and has no secret in what the command wrote", () => {
  const line = {
    time: "2026-11-25T10:00:00.000Z",
    level: "info",
    msg: "Placed bid",
    bid: "exclusive",
    duration: 20261125,
  };
  expect(JSON.parse(maskedLine(JSON.stringify(line), masker))).toEqual(line);
  const stderr = "exclusive since 2026-11-25: hunter2hunter2";
  expect(JSON.parse(maskedLine(JSON.stringify({ ...line, stderr }), masker))).toEqual({
    ...line,
    stderr: "[secret s0] since [secret s1]: [secret s3]",
  });
});

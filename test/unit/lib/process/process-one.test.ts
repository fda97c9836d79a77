import { expect, test } from "bun:test";
import { handledSignals } from "../../../../lib/process/process-one.ts";

test("the signals that a process handles are the bits of its status", () => {
  const status = "SigIgn:\t0000000001001000\nSigCgt:\t8000000160004002\nCapInh:\t0\n";
  expect([...handledSignals(status)]).toEqual([2, 15, 30, 31, 33, 64]);
  expect([...handledSignals("")]).toEqual([]);
});

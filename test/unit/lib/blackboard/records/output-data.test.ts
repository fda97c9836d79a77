import { expect, test } from "bun:test";
import {
  isOfResult,
  outputData,
  outputOf,
} from "../../../../../lib/blackboard/records/output-data.ts";
import type { EventType } from "../../../../../lib/model/event.ts";
import { newArtefactId } from "../../../../support/records/sample.ts";

const digest = (letter: string) => letter.repeat(64);

test("an event names what was printed, and it is read from it again", () => {
  const output = {
    stdout: { digest: digest("a"), bytes: 3 },
    stderr: { digest: digest("b"), bytes: 30_000_000, left_out: 13_000_000 },
  };
  const data = outputData(output);
  expect(data).toEqual({
    stdout: digest("a"),
    stdout_bytes: 3,
    stderr: digest("b"),
    stderr_bytes: 30_000_000,
    stderr_left_out: 13_000_000,
  });
  expect(outputOf({ phase: "exclusive", ...data })).toEqual(output);
  expect([outputData(undefined), outputOf({ stderr: "none" }), outputOf(undefined)]).toEqual([
    {},
    undefined,
    undefined,
  ]);
});

test("the end of a grant names its result, and its start names what it is about", () => {
  const artefact_id = newArtefactId();
  const event = { id: "1-1", time: new Date(0).toISOString(), actor: "hand" } as const;
  const isResult = (type: EventType) => isOfResult({ ...event, type, artefact_id });
  const types: EventType[] = ["grant_done", "grant_failed", "grant_waiting"];
  expect(types.map(isResult)).toEqual([true, true, true]);
  expect(isResult("grant_started")).toBe(false);
  expect(isOfResult({ ...event, type: "grant_failed" })).toBe(false);
});

// Whatever bytes a tool writes, reading them gives a result or a reason.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readToolOutput } from "../../../../lib/core/read-tool-output.ts";
import type { Phase } from "../../../../lib/model/phase.ts";

const read = (stdout: string, phase: Phase = "exclusive") =>
  readToolOutput(new TextEncoder().encode(stdout), {
    phase,
    kind: "standard",
    target: "GoalDefined",
  });
function resultOf(stdout: string, phase: Phase = "exclusive") {
  const outcome = read(stdout, phase);
  if (!outcome.ok) throw new Error(outcome.reason);
  return outcome.result;
}

describe("for any bytes", () => {
  const phase = fc.constantFrom<Phase>("review", "parallel", "exclusive");
  const someJson = fc.json({ maxDepth: 4 });

  test("reading never throws, and always has a result or a reason", () => {
    const brokenJson = fc
      .tuple(someJson, fc.nat(), fc.string())
      .map(([json, cut, tail]) =>
        new TextEncoder().encode(json.slice(0, cut % (json.length + 1)) + tail),
      );
    fc.assert(
      fc.property(
        fc.oneof(fc.uint8Array({ maxLength: 200 }), brokenJson),
        phase,
        (bytes, inPhase) => {
          const outcome = readToolOutput(bytes, {
            phase: inPhase,
            kind: "standard",
            target: "GoalDefined",
          });
          expect(outcome.ok ? outcome.result.type : outcome.reason).not.toBe("");
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("an object of any shape is refused or read, never an exception", () => {
    const value = fc.record(
      {
        artefact_type: fc.jsonValue(),
        artefact_payload: fc.jsonValue(),
        summary: fc.oneof(fc.string(), fc.jsonValue()),
        structural_type: fc.oneof(
          fc.constantFrom("Question", "Review", "Standard"),
          fc.jsonValue(),
        ),
        payload: fc.jsonValue(),
        metadata: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        value,
        phase,
        (object, inPhase) => typeof read(JSON.stringify(object), inPhase).ok === "boolean",
      ),
    );
  });

  test("what a tool writes by the contract comes out as it went in", () => {
    const text = fc.string({ unit: "grapheme" });
    const valid = fc.record({
      artefact_type: fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
      artefact_payload: fc.oneof(text, fc.jsonValue({ maxDepth: 5 })),
      summary: text,
    });
    const spaces = fc.constantFrom(undefined, 2, "\t");
    fc.assert(
      fc.property(valid, spaces, (output, indent) => {
        const result = resultOf(JSON.stringify(output, null, indent));
        const { artefact_payload: payload } = output;
        expect(result.payload).toBe(
          typeof payload === "string" ? payload : JSON.stringify(payload),
        );
        expect(result).toMatchObject({ type: output.artefact_type, summary: output.summary });
      }),
      { numRuns: 500 },
    );
  });
});

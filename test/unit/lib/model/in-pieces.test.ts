import { expect, test } from "bun:test";
import { inPieces, withWhole } from "../../../../lib/model/in-pieces.ts";

test("a short text is one variable, an empty one too", () => {
  expect(inPieces("P", "text")).toEqual({ P: "text" });
  expect(inPieces("P", "")).toEqual({ P: "" });
});

test.each(["x", "\n", "é", "😀"])(
  "a long text of %p comes back whole, and each piece fits into a variable",
  (sign) => {
    const text = `${sign.repeat(60_000)}end`;
    const pieces = inPieces("P", text);
    expect(Object.keys(pieces)).toEqual(["P", "P_2", "P_3"]);
    for (const piece of Object.values(pieces)) {
      expect(Buffer.byteLength(piece)).toBeLessThan(128 * 1024 - 100);
      expect(Buffer.from(piece).toString()).toBe(piece);
    }
    expect(withWhole({ ...pieces, Q_2: "other" }, ["P"])).toEqual({ P: text, Q_2: "other" });
  },
);

test("what was never in pieces stays as it is", () => {
  expect(withWhole({ P: undefined, Q: "q" }, ["P"])).toEqual({ P: undefined, Q: "q" });
});

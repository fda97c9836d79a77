import { expect, test } from "bun:test";
import { say, textOf } from "../../../../lib/words/segment.ts";

test("what others have said cannot end the quotation marks around it, and Sett's own stay", () => {
  const words = "fine”, and “more";
  expect(textOf(say`says: “${words}”`, (text) => text)).toBe('says: “fine", and "more”');
});

import { expect, test } from "bun:test";
import { checkedText, textKinds } from "../../../../../lib/client/actions/checked-text.ts";

test("a text of spaces, controls and marks alone is empty, and any other is taken as it is", () => {
  for (const text of ["", " \n\t", "\u0000", "\u001b\u009b", "\u202e\u2066\u200b", "\u3000"])
    expect(() => checkedText(text, textKinds.goal)).toThrow("The goal is empty.");
  for (const text of ["a", " . ", "é", "日本", "👍", "\u0000x"])
    expect(checkedText(text, textKinds.goal)).toBe(text);
});

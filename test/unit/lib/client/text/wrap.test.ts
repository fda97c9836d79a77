import { describe, expect, test } from "bun:test";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { wrap } from "../../../../../lib/client/text/wrap.ts";

const coloured = createStyle(true);

describe("a line that is too long for the terminal", () => {
  const line = "  waits for `coder`, which is silent";

  test("is broken between words, and goes on with its own indentation or with the given one", () => {
    expect(wrap(line, { columns: 20 })).toBe("  waits for `coder`,\n  which is silent");
    expect(wrap(line, { columns: 24, indent: 4 })).toBe(
      "  waits for `coder`,\n    which is silent",
    );
    expect(wrap(coloured.red(line), { columns: 20 })).toBe(
      coloured.red("  waits for `coder`,\n  which is silent"),
    );
    expect(wrap(line, { columns: undefined })).toBe(line);
  });

  test("keeps whole what may be copied: a command stays one line, and a word is the terminal's to break", () => {
    const command = wrap("  → sett answer 9f3a12b4 now", {
      columns: 20,
      indent: 4,
      isOneLine: true,
    });
    expect(command).toBe("  → sett answer         9f3a12b4 now");
    expect(command.slice(0, 20)).toBe("  → sett answer     ");
    // Words that fill a row to its edge are still two.
    expect(wrap("one two three", { columns: 7, isOneLine: true })).toBe("one    two    three");
    expect(wrap("seven77 three", { columns: 7, isOneLine: true })).toBe("seven77       three");
    expect(wrap("see abcdefghijklmnopqrstuvwxyz there", { columns: 10 })).toBe(
      "see\nabcdefghijklmnopqrstuvwxyz\nthere",
    );
  });
});

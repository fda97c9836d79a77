import { expect, test } from "bun:test";
import { nearestText } from "../../../../../../apps/cub/prompt-worker/tools/nearest-text.ts";

test("white space, a renamed word and a missing line still find the place", () => {
  const file = [
    "import a;",
    "",
    "function first() {",
    "  return one;",
    "}",
    "",
    "function second() {",
    "\treturn two;",
    "}",
  ].join("\n");
  expect(nearestText(file, "function second() {\n    return two;\n}")).toEqual({
    line: 7,
    text: "function second() {\n\treturn two;\n}",
  });
  expect(nearestText(file, "\n\nfunction frist() {\n  return one;\n}\n")?.line).toBe(3);
});

test("where nothing is like it, nothing is shown", () => {
  expect(nearestText("alpha\nbeta\n", "gamma delta")).toBeUndefined();
  expect(nearestText("", "x")).toBeUndefined();
  expect(nearestText("a\n", " \n ")).toBeUndefined();
});

test("a file of 100 000 equal lines takes a bounded time", () => {
  const begun = process.cpuUsage();
  const text = "  if (a === b && c !== d) return compute(a, b, c, d);\n".repeat(100_000);
  const wanted = "  if (a === b && c !== d) return compute(a, b, c, e);\n".repeat(200);
  expect(nearestText(text, wanted)?.line).toBeGreaterThan(0);
  expect(process.cpuUsage(begun).user).toBeLessThan(30_000_000);
});

// The lines at the foot of a terminal, as they stand on its screen.
import { expect, test } from "bun:test";
import { Footer } from "../../../../../apps/cli/terminal/footer.ts";
import type { Output } from "../../../../../apps/cli/terminal/output.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { Screen } from "../../../../support/cli/screen.ts";

/** stdout and stderr of one terminal. */
function terminal(width: number) {
  const size = { columns: width };
  const screen = new Screen(width);
  const output = (): Output => ({
    isTerminal: true,
    columns: width,
    style: createStyle(false),
    writeBytes: async () => {},
    // A terminal makes a line break of each line feed; the text is out a little later than it was
    // given.
    write: async (text) => {
      await Promise.resolve();
      screen.write(text.replaceAll("\n", "\r\n"));
    },
  });
  const out = output();
  return { screen, out, err: output(), size, footer: new Footer(out, () => size.columns) };
}

test("the footer stays below what is written above it, on either stream, and is there once", async () => {
  const { screen, out, err, footer } = terminal(20);
  await footer.show(() => ["-- foot --", "one"]);
  await Promise.all([
    footer.above(out).write("first\n"),
    footer.above(err).write("! warning\n"),
    footer.above(out).write("second\nthird\n"),
  ]);
  expect(screen.rows).toEqual(["first", "! warning", "second", "third", "-- foot --", "one"]);
  await footer.show(() => ["-- foot --", "one", "two"]);
  await footer.show(() => ["-- less --"]);
  expect(screen.rows).toEqual(["first", "! warning", "second", "third", "-- less --"]);
  expect(screen.unknown).toEqual([]);
});

test("lines above that are wider than the terminal are neither eaten nor doubled", async () => {
  const { screen, out, footer } = terminal(10);
  await footer.show(() => ["foot"]);
  await footer.above(out).write("twelve chars\n");
  await footer.show(() => ["feet"]);
  await footer.above(out).write("exactly 10\n");
  expect(screen.rows).toEqual(["twelve cha", "rs", "exactly 10", "feet"]);
});

test("a footer line that is too wide still takes one row", async () => {
  const { screen, footer } = terminal(10);
  await footer.show(() => ["wider than ten", "two"]);
  expect(screen.rows).toEqual(["wider than", "two"]);
});

test("a terminal made narrower, and wider again, keeps every line above and one footer", async () => {
  const { screen, out, size, footer } = terminal(20);
  const resize = (columns: number) => {
    size.columns = columns;
    screen.resize(columns);
  };
  await footer.show(() => ["=".repeat(size.columns), "-".repeat(size.columns)]);
  await footer.above(out).write("a line above\n");
  resize(7);
  await footer.above(out).write("b\n");
  expect(screen.lines).toEqual(["a line above", "b", "=======", "-------"]);
  resize(30);
  await footer.show(() => ["="]);
  expect(screen.lines).toEqual(["a line above", "b", "="]);
});

test("what is over leaves the screen as if it had never been there", async () => {
  const { screen, out, footer } = terminal(20);
  {
    await using foot = footer;
    await foot.show(() => ["foot", "foot"]);
    await foot.above(out).write("line\n");
    screen.write("^C");
  }
  expect(screen.rows).toEqual(["line"]);
  await footer.above(out).write("after\n");
  expect(screen.rows).toEqual(["line", "after"]);
});

test("an output that is no terminal is left alone", () => {
  const { out, footer } = terminal(20);
  const file: Output = { ...out, isTerminal: false };
  expect(footer.above(file)).toBe(file);
});

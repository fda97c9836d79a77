// Sentences for people on stderr.
import { expect, test } from "bun:test";
import { fakeShell } from "../../../../support/cli/fake-shell.ts";

test("what a sentence quotes controls no terminal", () => {
  const { messages, written } = fakeShell();
  messages.note(
    "There are no artefacts of type \u001b[31mred\u001b[0m or \u001b]0;title\u0007. There are: Report.\nAnd more.",
  );
  expect(written.err).toBe(
    "There are no artefacts of type red or \ufffd]0;title\ufffd. There are: Report.\nAnd more.\n",
  );
});

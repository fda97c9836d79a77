import { expect, test } from "bun:test";
import { readMessage } from "../../../../../apps/orchestrator/mail/read-message.ts";

test.each([
  ["has more than 1500000 values", "[],".repeat(750_001)],
  ["has more than 500000 names of members", '{"":1},'.repeat(500_001)],
])("a message that %s is refused before it is parsed", (problem, list) => {
  expect(readMessage(`{"message":{"say":"bid","more":[${list}1]}}`)).toEqual({
    ok: false,
    reason: `The message cannot be read: it ${problem}.`,
  });
});

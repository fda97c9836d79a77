import { expect, test } from "bun:test";
import { nearestWord } from "../../../../lib/config/nearest-word.ts";

test("the nearest word differs by a typing error, or there is none", () => {
  const known = ["command", "role", "bids", "build"];
  expect(
    ["comand", "commnad", "Command", "rolle", "bid", "zebra", ""].map((word) =>
      nearestWord(word, known),
    ),
  ).toEqual(["command", "command", "command", "role", "bids", undefined, undefined]);
});

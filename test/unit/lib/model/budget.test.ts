import { describe, expect, test } from "bun:test";
import { formatAmount, formatAmounts } from "../../../../lib/model/amounts.ts";
import { readAmounts } from "../../../../lib/model/budget.ts";

describe("amounts that a person types", () => {
  test.each([
    ["5usd", { nanousd: 5_000_000_000, tokens: 0, calls: 0 }],
    ["$0.25", { nanousd: 250_000_000, tokens: 0, calls: 0 }],
    ["0.1 USD", { nanousd: 100_000_000, tokens: 0, calls: 0 }],
    ["200k tokens", { nanousd: 0, tokens: 200_000, calls: 0 }],
    ["1.5Mtokens", { nanousd: 0, tokens: 1_500_000, calls: 0 }],
    ["1 call", { nanousd: 0, tokens: 0, calls: 1 }],
    [" 2 dollars , 50calls,10 tokens", { nanousd: 2_000_000_000, tokens: 10, calls: 50 }],
  ])("%p is read", (text, amounts) => {
    expect(readAmounts(text)).toEqual({ amounts });
  });

  test.each([
    "",
    "5",
    "-5usd",
    "usd",
    "0usd",
    "0 calls, 0 tokens",
    "1.5 calls",
    "0.0001k tokens",
    "5usd,",
    "5 eur",
    "9999999999usd",
    "5usd 3 calls",
  ])("%p is no amount", (text) => {
    expect(readAmounts(text)).toEqual({ problem: expect.any(String) });
  });
});

describe("what is no amount is refused with its reason", () => {
  test.each([
    ["5usd, 5usd", "names more than one amount of money: write one"],
    ["$5, 3 dollars", "names more than one amount of money: write one"],
    ["200k tokens, 1 call, 5 tokens", "names more than one amount of tokens: write one"],
    ["$1,500 tokens", "has a comma between digits: write `1000`, and a blank after a comma"],
    ["1,000usd", "has a comma between digits: write `1000`, and a blank after a comma"],
    ["-5usd", "is below nothing"],
    ["$-5", "is below nothing"],
    ["0usd", "adds nothing"],
    ["5", "has no unit"],
    ["1e3usd", "is no amount"],
    ["5 eur", "has `eur` where a unit is expected"],
    ["€5", "has `€` where a unit is expected"],
    ["5 usd or 10", "is no amount"],
    ["yes, 5usd", "is no amount"],
    ["2000000usd", "is more than can be added at a time"],
    ["1.5 calls", "has a fraction of a call"],
  ])("%p %s", (text, problem) => {
    expect(readAmounts(text)).toEqual({ problem });
  });
});

describe("amounts for people", () => {
  test.each([
    [0, "$0"],
    [420_000_000, "$0.42"],
    [5_000_000_000, "$5.00"],
    [4_200_000, "$0.0042"],
    [12_345, "$0.000012"],
    [400, "$0.0000004"],
    [10_000_000, "$0.01"],
  ])("%p nano-dollars are %p", (nanousd, text) => {
    expect(formatAmount("nanousd", nanousd)).toBe(text);
  });

  test.each([
    [0, "0 tokens"],
    [1, "1 token"],
    [999, "999 tokens"],
    [1_000, "1k tokens"],
    [12_345, "12.3k tokens"],
    [999_960, "1M tokens"],
    [2_000_000, "2M tokens"],
  ])("%p tokens are %p", (tokens, text) => {
    expect(formatAmount("tokens", tokens)).toBe(text);
  });

  test("what is 0 or has no limit is left out of a list", () => {
    expect(formatAmounts({ nanousd: 420_000_000, tokens: 0, calls: 1 })).toBe("$0.42, 1 call");
    expect(formatAmounts({})).toBe("");
  });

  test("an amount that was formatted in round figures reads back as the same", () => {
    for (const text of ["$5.00", "200k tokens", "50 calls", "$0.42, 2M tokens, 1 call"]) {
      const read = readAmounts(text);
      expect("amounts" in read && formatAmounts(read.amounts)).toBe(text);
    }
  });
});

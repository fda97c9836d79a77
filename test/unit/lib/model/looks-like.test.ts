import { expect, test } from "bun:test";
import { lookOf } from "../../../../lib/model/looks-like.ts";

test.each([
  ["to\u043el.sh", "tool.sh"],
  ["tool.sh ", "tool.sh"],
  ["tool.sh\u00a0", "tool.sh"],
  ["to\u200bol.sh", "tool.sh"],
  ["TOOL.sh", "tool.sh"],
  ["\u0456nd\u0435x", "index"],
  ["\uff49ndex", "index"],
  ["\ufb01le", "file"],
  ["e\u0301tude", "\u00e9tude"],
])("%j looks like %j", (one, other) => expect(lookOf(one)).toBe(lookOf(other)));

test.each([
  ["caf\u00e9", "cafe"],
  ["file1", "filel"],
  ["a-b", "ab"],
  ["a b", "ab"],
  ["\u043e\u0442\u0447\u0451\u0442", "\u043e\u0442\u0447\u0435\u0442"],
  ["\u76ee\u6a19", "\u76ee\u6807"],
])("%j looks other than %j", (one, other) => expect(lookOf(one)).not.toBe(lookOf(other)));

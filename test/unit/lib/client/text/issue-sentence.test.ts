import { expect, test } from "bun:test";
import { z } from "zod";
import { issueSentence } from "../../../../../lib/client/text/issue-sentence.ts";

const sentence = (schema: z.ZodType, value: unknown) => {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue === undefined ? undefined : issueSentence(issue);
};

test.each([
  [z.string(), undefined, "is missing: it must be a text"],
  [z.string(), 5, "must be a text"],
  [z.coerce.number(), "many", "must be a number"],
  [z.int(), 1.5, "must be a whole number"],
  [z.coerce.number().min(1).max(500), "0", "must be at least 1"],
  [z.coerce.number().min(1).max(500), "501", "must be at most 500"],
  [z.string().min(1), "", "must have at least 1 character"],
  [z.array(z.string()).max(2), ["a", "b", "c"], "must have at most 2 entries"],
  [z.enum(["asc", "desc"]), "up", "must be one of asc, desc"],
  [z.strictObject({}), { more: 1 }, "has what is not known: `more`"],
  [z.strictObject({}), "text", "must be an object"],
  [z.url(), "here", "is not of the form that is expected"],
  [z.string().regex(/x/, { error: "must be an x" }), "y", "must be an x"],
])("%#: zod's issue as a sentence", (schema, value, expected) => {
  expect(sentence(schema, value)).toBe(expected);
});

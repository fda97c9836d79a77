// Says what is wrong with a parameter or a body, in a sentence.
import type { z } from "zod";
import { issueSentence } from "../../lib/client/text/issue-sentence.ts";
import { oneLine, shorten } from "../../lib/client/text/plain-text.ts";
import { SettError } from "../../lib/model/errors.ts";

const where: Readonly<Record<string, string>> = {
  json: "The body",
  query: "The query",
  param: "The address",
  header: "The headers",
};
const maxIssues = 5;

export function usageOf({ issues }: Pick<z.core.$ZodError, "issues">, target: string): SettError {
  const whole = where[target] ?? "The request";
  const problems = issues.slice(0, maxIssues).map((issue) => {
    const name = issue.path.map(String).join(".");
    return `${name === "" ? "it" : `\`${shorten(oneLine(name), 60)}\``} ${issueSentence(issue)}`;
  });
  return new SettError("usage", `${whole} is wrong: ${problems.join("; ")}.`, {
    hint: "`/v1/openapi.json` says what each address takes.",
  });
}

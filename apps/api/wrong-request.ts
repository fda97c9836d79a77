// Says what is wrong with a parameter or a body, in a sentence.
import { oneLine, shorten } from "../../lib/client/text/plain-text.ts";
import { SettError } from "../../lib/model/errors.ts";

type Issues = { issues: readonly { path: readonly PropertyKey[]; message: string }[] };

const where: Readonly<Record<string, string>> = {
  json: "The body",
  query: "The query",
  param: "The address",
  header: "The headers",
};
const maxIssues = 5;

export function usageOf({ issues }: Issues, target: string): SettError {
  const problems = issues.slice(0, maxIssues).map(({ path, message }) => {
    const name = path.map(String).join(".");
    const text = shorten(oneLine(message), 200);
    return name === "" ? text : `\`${shorten(oneLine(name), 60)}\`: ${text}`;
  });
  return new SettError("usage", `${where[target] ?? "The request"} is wrong: ${problems.join("; ")}.`, {
    hint: "`/v1/openapi.json` says what each address takes.",
  });
}

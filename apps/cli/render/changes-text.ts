// Shows people what git says of a change: words and names that an agent has chosen have bars.
import { plainLines, visibleWidth } from "../../../lib/client/text/plain-text.ts";
import { quotedLines } from "../../../lib/client/text/quoted.ts";
import type { Layout } from "../../../lib/client/text/style.ts";

/**
 * A commit's own words are indented by four columns, as git does it, and the names of files by one.
 * Any other line, such as that of an author, is Sett's own for as long as it fits into a row.
 */
export function changesText(changes: string, out: Layout): string {
  const rowsOf = (line: string) => {
    const [, indent = "", text = ""] = /^( {4}| ?)(.*)$/s.exec(line) ?? [];
    const fits = out.columns === undefined || visibleWidth(line) <= out.columns;
    return indent === "" && fits ? [line] : quotedLines(text, out, indent);
  };
  return plainLines(changes).split("\n").flatMap(rowsOf).join("\n");
}

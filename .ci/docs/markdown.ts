// Markdown with lines of at most 100 columns.

const columns = 100;

/**
 * One paragraph, broken between words and never inside of `code`. `indent` goes before each line
 * but the first.
 */
export function wrapped(text: string, indent = ""): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.match(/(?:[^\s`]*`[^`]*`[^\s`]*)+|\S+/g) ?? []) {
    const longer = line === "" ? word : `${line} ${word}`;
    const begun = lines.length === 0 ? longer : `${indent}${longer}`;
    if (line !== "" && begun.length > columns) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].join(`\n${indent}`);
}

/** `* **name** text`, one for each. */
export function bullets(items: readonly string[]): string {
  return items.map((item) => wrapped(`* ${item}`, "  ")).join("\n");
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

export function code(language: string, lines: readonly string[]): string {
  return [`\`\`\`${language}`, ...lines, "```"].join("\n");
}

/** Returns the text with one full stop at its end. */
export function sentence(text: string): string {
  const trimmed = text.trim().replace(/\s+/g, " ");
  return /[.!?…]$/.test(trimmed) || trimmed === "" ? trimmed : `${trimmed}.`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

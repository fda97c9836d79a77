// `${NAME}` without quotes inside of a flow map or list: `{ key: ${ANTHROPIC_API_KEY} }`. YAML
// reads the braces as a map, which is an error there. Nothing else could be meant, so the braces
// are hidden while the text is parsed.
import { type Document, visit } from "yaml";

/**
 * Characters for private use, each as long as the brace that it replaces, so that every place in
 * the text stays the same.
 */
const [open, close] = ["\uE000", "\uE001"];
const hidden = new RegExp(`\\$${open}([^${open}${close}]*)${close}`, "g");

/**
 * The text with every variable's braces hidden. A text that has these characters itself is left as
 * it is.
 */
export function hideVariables(text: string): string {
  if (text.includes(open) || text.includes(close)) return text;
  return text.replace(/\$\{([^{}\n]*)\}/g, (_, name) => `$${open}${name}${close}`);
}

/** Gives all keys and values of a document of such a text their braces again. */
export function showVariables(document: Document): void {
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === "string") scalar.value = withBraces(scalar.value);
      if (scalar.source !== undefined) scalar.source = withBraces(scalar.source);
    },
  });
}

function withBraces(text: string): string {
  return text.replaceAll(hidden, (_, name) => `\${${name}}`);
}

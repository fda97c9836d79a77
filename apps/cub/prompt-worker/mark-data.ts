// Text of artefacts in a prompt is data. It is enclosed in tags, and no such tag is left inside it:
// text cannot end its own enclosure and go on as an instruction.

const tagStart = /<(?=\s*\/?\s*artefact)/gi;

/** `text` in which no tag `artefact` begins or ends. */
export function withoutTags(text: string): string {
  return text.replace(tagStart, "&lt;");
}

/** `text` as the content of a tag with these attributes. */
export function markData(attributes: Readonly<Record<string, string>>, text: string): string {
  const list = Object.entries(attributes).map(
    ([name, value]) => ` ${name}="${attributeText(value)}"`,
  );
  return `<artefact${list.join("")}>\n${withoutTags(text)}\n</artefact>`;
}

function attributeText(value: string): string {
  return value
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replace(/\s+/g, " ");
}

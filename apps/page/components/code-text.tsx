// Text with the colours of its language. The highlighter makes a tree of words; each word is drawn
// as text.
import { type ReactNode, useMemo } from "react";
import { refractor } from "./highlighter.ts";
import { LongText } from "./long-text.tsx";
import { PlainText } from "./text.tsx";

/** More would take longer than a reader waits. */
const maxLength = 60_000;

type Word = {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: Word[];
};

export function CodeText({
  text,
  language,
  label,
}: {
  text: string;
  language: string;
  label: string;
}) {
  const isShort = text.length <= maxLength;
  const tree = useMemo(
    () => (isShort ? (refractor.highlight(text, language).children as Word[]) : []),
    [text, language, isShort],
  );
  if (!isShort) return <LongText text={text} label={label} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className="text-box code" aria-label={label} tabIndex={0}>
      <pre>{tree.map(draw)}</pre>
    </section>
  );
}

function draw(word: Word, at: number): ReactNode {
  if (word.type === "text") return <PlainText key={at} text={word.value ?? ""} />;
  const { className } = word.properties ?? {};
  return (
    <span key={at} className={Array.isArray(className) ? className.join(" ") : undefined}>
      {word.children?.map(draw)}
    </span>
  );
}

// Text from agents as text: never as HTML, and with what a reader could not see shown by its name.
import { memo } from "react";
import { segmentsOf, visibleLine } from "../text/visible-text.ts";

/** Keeps line breaks. For texts of bounded length; LongText has the others. */
export const PlainText = memo(function PlainText({ text }: { text: string }) {
  return segmentsOf(text).map(({ text: part, mark }, at) => {
    return mark === undefined ? part : <Mark key={at} name={mark} />;
  });
});

function Mark({ name }: { name: string }) {
  return (
    <span className="mark" title={`A character that cannot be seen: ${name}`}>
      {name}
    </span>
  );
}

/** One line, in a place of its own, so that it turns no text around it. */
export function Line({
  text,
  max = 300,
  className,
}: {
  text: string;
  max?: number;
  className?: string;
}) {
  return (
    <bdi className={className} title={text.length > 40 ? visibleLine(text, 1_000) : undefined}>
      {visibleLine(text, max)}
    </bdi>
  );
}

// A sentence of pieces in the colours of a terminal; what others have chosen is made safe.
import type { Segment, Tone } from "../../words/segment.ts";
import { boundedLine } from "../text/plain-text.ts";
import type { Colour, Style } from "../text/style.ts";
import { typeText } from "../text/type-text.ts";

const colours: Readonly<Record<Tone, Colour>> = {
  strong: "bold",
  good: "green",
  bad: "red",
  wait: "yellow",
  work: "yellow",
};

/** `maxColumns`: how wide a piece may be that others have chosen. */
export function painted(segments: readonly Segment[], style: Style, maxColumns: number): string {
  return segments
    .map(({ text, tone, isForeign, isType }) => {
      const foreign = () => (isType ? typeText(text) : boundedLine(text, maxColumns));
      const safe = isForeign === true ? foreign() : text;
      return tone === undefined ? safe : style[colours[tone]](safe);
    })
    .join("");
}

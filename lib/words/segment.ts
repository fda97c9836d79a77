// A sentence as pieces: each surface paints them in its own way, and makes safe what others have
// chosen.

/**
 * `strong`: what the reader looks for. The others are the state of something: it went well or
 * badly, waits, or is at work.
 */
export type Tone = "strong" | "good" | "bad" | "wait" | "work";

/**
 * `isForeign`: agents or people have chosen the text, so that it may be long, or hold what moves a
 * cursor. `isType`: it is the type of an artefact, which should be one word.
 */
export type Segment = {
  readonly text: string;
  readonly tone?: Tone;
  readonly isForeign?: true;
  readonly isType?: true;
};

type Value = string | number | Segment | readonly Segment[];

/**
 * A template whose own words are Sett's. Strings that are put into it are foreign, so that none is
 * forgotten.
 */
export function say(words: TemplateStringsArray, ...values: readonly Value[]): Segment[] {
  return words.flatMap((text, at) => {
    const own = text === "" ? [] : [{ text }];
    const value = values[at];
    return value === undefined ? own : [...own, ...segmentsOf(value)];
  });
}

export function toned(tone: Tone, text: string | number): Segment {
  return { text: String(text), tone, isForeign: true };
}

/** The type of an artefact. */
export function typed(tone: Tone, type: string): Segment {
  return { ...toned(tone, type), isType: true };
}

/**
 * As plain text; `clean` makes foreign text safe, which cannot end the quotation marks of a
 * sentence either.
 */
export function textOf(segments: readonly Segment[], clean: (text: string) => string): string {
  return segments
    .map(({ text, isForeign }) =>
      isForeign === true ? clean(text).replaceAll(/[“”]/g, '"') : text,
    )
    .join("");
}

function segmentsOf(value: Value): readonly Segment[] {
  if (typeof value === "string" || typeof value === "number")
    return value === "" ? [] : [{ text: String(value), isForeign: true }];
  return "text" in value ? [value] : value;
}

// Lists the characters of a text that no reader sees, or would be misled by: one list for the
// terminal, the page and what triggers take from others.

/**
 * Scripts that cannot be written without joiners: those of Arabic, of India and its neighbours, and
 * of Mongolia.
 */
const joining = [
  ...[
    "Arabic",
    "Syriac",
    "Mongolian",
    "Devanagari",
    "Bengali",
    "Gurmukhi",
    "Gujarati",
    "Oriya",
    "Tamil",
    "Telugu",
    "Kannada",
  ],
  ...["Malayalam", "Sinhala", "Khmer", "Myanmar", "Tibetan"],
].map((script) => `\\p{Script=${script}}`);
const joined = `[${joining.join("")}\\u064b-\\u0655]`;

/**
 * Joiners within an emoji and between letters of those scripts, and one choice of form after an
 * emoji or a Chinese character.
 */
const needed = [
  "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})",
  `(?<=${joined})[\\u200c\\u200d](?=${joined})`,
  "(?<=\\p{Emoji})[\\ufe0e\\ufe0f]",
  "(?<=\\p{Script=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]",
];

/**
 * C0 and C1 controls, separators of lines, and all that has no look of its own: marks of direction,
 * spaces without width, fillers, tags that can hide whole sentences. Marks of format that can be
 * seen, as those of Arabic numbers, are not among them.
 */
const withoutLook = "[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]";

/** Matches one such character, but for line breaks, tabs, and what writing needs where it is. */
export const unseen = new RegExp(`(?![\\n\\t])${withoutLook}(?<!${needed.join("|")})`, "gu");

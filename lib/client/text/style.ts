// Colours of the terminal.

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Colour = keyof typeof codes;
export type Style = Record<Colour, (text: string) => string>;

/** The layout of a text. `columns`: undefined where lines may have any length. */
export type Layout = { style: Style; readonly columns: number | undefined };

/** Functions that colour a text, or return it unchanged. */
export function createStyle(isColoured: boolean): Style {
  const paint = (colour: Colour) => {
    const [on, off] = codes[colour];
    return (text: string) =>
      isColoured && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
  const { bold, dim, red, green, yellow, blue, magenta, cyan } = Object.fromEntries(
    Object.keys(codes).map((colour) => [colour, paint(colour as Colour)]),
  ) as Style;
  return { bold, dim, red, green, yellow, blue, magenta, cyan };
}

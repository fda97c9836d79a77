// The letters in which addresses and names are compared.

/**
 * Only A to Z change, as in Redis: of other letters a small one may be that of several, such as the
 * `k` of the Kelvin sign.
 */
export function smallLetters(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

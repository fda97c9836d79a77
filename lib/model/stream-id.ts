// The ids of a stream's entries: `<milliseconds>-<number>`, each of the two with up to 64 bits.

/**
 * Whether the entry of this id comes after the other; `0` comes before all. Numbers of 64 bits are
 * compared as text: who may write a stream may choose its ids, and beyond 2^53 different ids would
 * be equal numbers.
 */
export function isLater(id: string, than: string): boolean {
  const [ms = "0", number = "0"] = id.split("-");
  const [thanMs = "0", thanNumber = "0"] = than.split("-");
  return isMore(ms, thanMs) || (!isMore(thanMs, ms) && isMore(number, thanNumber));
}

function isMore(one: string, other: string): boolean {
  const [digits, otherDigits] = [withoutZeros(one), withoutZeros(other)];
  return digits.length === otherDigits.length
    ? digits > otherDigits
    : digits.length > otherDigits.length;
}

function withoutZeros(digits: string): string {
  return digits.startsWith("0") ? digits.replace(/^0+(?=\d)/, "") : digits;
}

// One text for a size, as people read it.

const [mebibyte, gibibyte] = [1024 ** 2, 1024 ** 3];

export function sizeText(bytes: number): string {
  return bytes >= gibibyte
    ? `${(bytes / gibibyte).toFixed(1)} GiB`
    : `${Math.round(bytes / mebibyte)} MiB`;
}

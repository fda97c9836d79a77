// One text for a size, as people read it.

const [mebibyte, gibibyte] = [1024 ** 2, 1024 ** 3];

/** `512 MiB`, `1.5 GiB`. */
export function sizeText(bytes: number): string {
  return bytes >= gibibyte
    ? `${(bytes / gibibyte).toFixed(1)} GiB`
    : `${Math.round(bytes / mebibyte)} MiB`;
}

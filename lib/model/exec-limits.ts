// How much Linux lets a program be started with: its arguments and its variables together, and each
// alone.

/** An argument, or a variable with its name (MAX_ARG_STRLEN, without the NUL at the end). */
export const maxStringBytes = 128 * 1024 - 1;

/** A quarter of the stack, which is 8 MiB unless it was changed. */
export const usualStartBytes = 2 * 1024 * 1024;

/** The kernel's own limit for a quarter of a larger stack. */
export const maxStartBytes = 6 * 1024 * 1024;

/**
 * The bytes that are kept free for what Sett and the container add while an agent works: the token
 * and the addresses of its model, the trace, the path of an interpreter.
 */
export const addedBytes = 32 * 1024;

const pointerBytes = 8;

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Each text has a NUL at its end and a pointer to it. */
export function startBytes(
  words: readonly string[],
  variables: Readonly<Record<string, string>>,
): number {
  const texts = [...words, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)];
  return texts.reduce((sum, text) => sum + bytesOf(text) + 1 + pointerBytes, 0);
}

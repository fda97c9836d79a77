// Files inside this program: Bun embeds them when it compiles the program for release, and finds
// them by name.

/**
 * Undefined in a program that was built for its own machine only, and when it runs from sources.
 */
export function embeddedFile(name: string): Blob | undefined {
  return Bun.embeddedFiles.find((file) => "name" in file && file.name === name);
}

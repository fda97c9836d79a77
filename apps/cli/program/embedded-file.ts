// What this program has inside it: Bun puts it there when it compiles the one that is handed out, and knows it by its name.

/** Undefined in a program that was built for its own machine, and in sources. */
export function embeddedFile(name: string): Blob | undefined {
  return Bun.embeddedFiles.find((file) => "name" in file && file.name === name);
}

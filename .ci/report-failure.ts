/** Says how a build script ends when it cannot go on: with what happened, without a stack. */
export function reportFailure(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

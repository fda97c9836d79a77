// The command lines by which a program of Sett starts itself again, or another one beside it.

/** Holds what a program knows of itself. */
export type OwnProgram = {
  execPath: string;
  /** The second word of the process's own command line: in a compiled program a path inside it. */
  script: string;
  /**
   * True where the service is all of the program, false where it is one of the services in `sett`.
   */
  isWholeProgram: boolean;
};

/** The path of the sources inside a compiled program. */
const insideBinary = "/$bunfs/";

/** No `.env` and no `bunfig.toml` of the working directory may change the program. */
const isolationFlags = ["--no-env-file", "--config=/dev/null"];

export function ownProgram(
  { execPath, script, isWholeProgram }: OwnProgram,
  service: string,
): string[] {
  const program = isInsideBinary(script) ? [execPath] : fromSource(execPath, script);
  return [...program, ...(isWholeProgram ? [] : ["service", service])];
}

export function isInsideBinary(path: string): boolean {
  return path.startsWith(insideBinary);
}

export function fromSource(execPath: string, script: string): string[] {
  return [execPath, "run", ...isolationFlags, script];
}

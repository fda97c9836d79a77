// The command line that starts this same program again.

/** What a program knows of itself. */
export type OwnProgram = {
  execPath: string;
  /** The second word of the process's own command line: in a compiled program a path inside it. */
  script: string;
  /** True where the service is all of the program, false where it is one of the services in `sett`. */
  isWholeProgram: boolean;
};

/** The path of the sources inside a compiled program. */
const insideBinary = "/$bunfs/";

/** No `.env` and no `bunfig.toml` of the working directory may change the program. */
const isolationFlags = ["--no-env-file", "--config=/dev/null"];

export function ownProgram({ execPath, script, isWholeProgram }: OwnProgram, service: string): string[] {
  const program = script.startsWith(insideBinary) ? [execPath] : [execPath, "run", ...isolationFlags, script];
  return [...program, ...(isWholeProgram ? [] : ["service", service])];
}

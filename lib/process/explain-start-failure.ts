// A sentence that says why a command could not be started.
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { NotStarted, StartFailure } from "./command.ts";

/**
 * Looks at the file system, because the system's error is the same ENOENT for a missing program, a
 * missing working directory and a script whose interpreter is missing.
 */
export async function explainStartFailure(
  error: unknown,
  program: string,
  cwd: string,
): Promise<NotStarted> {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const detail = error instanceof Error ? error.message : String(error);
  if ((code === "ENOENT" || code === "ENOTDIR") && !(await isFolder(cwd))) {
    return failure("cwd_missing", `The working directory "${cwd}" does not exist.`);
  }
  switch (code) {
    case "ENOENT":
      if (!program.includes("/"))
        return failure("not_found", `The command "${program}" is not on the PATH.`);
      if (await exists(resolve(cwd, program))) {
        return failure(
          "interpreter_missing",
          `The command "${program}" exists, but the interpreter or loader that it names does not.`,
        );
      }
      return failure("not_found", `The command "${program}" does not exist.`);
    case "ENOTDIR":
      return failure(
        "not_found",
        `The command "${program}" does not exist: part of its path is a file.`,
      );
    case "EACCES":
    case "EISDIR":
      if (await isFolder(resolve(cwd, program)))
        return failure("not_executable", `The command "${program}" is a directory.`);
      return failure("not_executable", `The command "${program}" is not executable. Try chmod +x.`);
    case "ENOEXEC":
      return failure(
        "unknown_format",
        `The command "${program}" is neither a binary for this machine nor a script with a first line like #!/bin/sh.`,
      );
    case "E2BIG":
      return failure(
        "too_long",
        `The arguments and environment of the command "${program}" are too long.`,
      );
    case "EAGAIN":
    case "EMFILE":
    case "ENFILE":
    case "ENOMEM":
      return failure(
        "exhausted",
        `The command "${program}" could not be started, because something is used up: ${detail}`,
      );
    case "ERR_INVALID_ARG_VALUE":
    case "ERR_INVALID_ARG_TYPE":
      return failure(
        "invalid",
        `The command ${JSON.stringify(program)} cannot be started: ${detail}`,
      );
    default:
      return failure("other", `The command "${program}" could not be started: ${detail}`);
  }
}

function failure(reason: StartFailure, message: string): NotStarted {
  return { kind: "not_started", reason, message };
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

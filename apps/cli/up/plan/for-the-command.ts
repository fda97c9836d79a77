// Which variables of an image and of `environment` are for the agent's command alone. The cub is a
// program in the same container, and its loader, its runtime and its settings would go by them.
import { inPieces } from "../../../../lib/model/in-pieces.ts";

/**
 * Those of the loader, of the C library, of Bun, of what Bun takes over from Node, and of clients
 * that use a proxy. Bun does not start with an empty option of its engine (`BUN_JSC_…`): these
 * reach the cub.
 */
const families =
  /^(?:BUN(?!_JSC)|GLIBC|LD|MALLOC|MIMALLOC|NODE|SSL_CERT)_|^(?:all|ftp|https?|no)_proxy$/i;
const single = new Set([
  "GCONV_PATH",
  "HOSTALIASES",
  "LOCALDOMAIN",
  "LOCPATH",
  "RES_OPTIONS",
  "TMPDIR",
]);

/**
 * The command gets these from the cub; the rest of theirs it gets from no one, as it always was.
 */
const fromNoOne = /^(?:BUN_|LD_LIBRARY_PATH$)/;

/**
 * These hide them from the cub, since a container cannot lack a variable of its image: empty ones,
 * and one with those that the command gets (`SETT_COMMAND_ENVIRONMENT`). `own`: what Sett sets
 * itself, which always counts.
 */
export function hiddenFromCub(
  image: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const ofCommand = Object.entries({ ...image, ...environment }).filter(
    ([name]) => families.test(name) || single.has(name),
  );
  const settings = Object.keys(image).filter(
    (name) => name.startsWith("SETT_") && environment[name] === undefined,
  );
  const hidden = [...ofCommand.map(([name]) => name), ...settings].filter(
    (name) => own[name] === undefined,
  );
  const seen = ofCommand.filter(([name]) => !fromNoOne.test(name));
  return {
    ...Object.fromEntries(hidden.map((name) => [name, ""])),
    ...(seen.length > 0 &&
      inPieces("SETT_COMMAND_ENVIRONMENT", JSON.stringify(Object.fromEntries(seen)))),
  };
}

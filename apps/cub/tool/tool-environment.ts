// The environment that an agent's own commands see: the image's and the agent's variables, and none
// of the cub's.
import { directToThisMachine, thisMachine } from "../../../lib/model/proxy.ts";

/** The SETT_ variables that a tool gets. */
const visibleToTools = new Set([
  "SETT_INSTANCE_NAME",
  "SETT_AGENT_NAME",
  "SETT_AGENT_ROLE",
  "SETT_PROMPT_CLAIM",
  "SETT_PROMPT_EXECUTION",
  "SETT_SECRETS_DIR",
  // Without containers, `sett` finds the processes that a tool left behind by this variable.
  "SETT_PART",
]);

/**
 * `environment` is the cub's own: the image's, overlaid with the agent's `environment` and what
 * `sett up` sets. `REDIS_URL` is left out, and so are `BUN_*` variables and `LD_LIBRARY_PATH`,
 * which are for the cub's binary. The image's own library path is restored from
 * SETT_IMAGE_LD_LIBRARY_PATH, and what was hidden from the cub is `hidden`. A proxy that the image
 * or `environment` names does not lead to 127.0.0.1, where the gateway is.
 */
export function toolEnvironment(
  environment: Record<string, string | undefined>,
  role: string,
  hidden: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const tools: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    // An empty variable of Sett's was the image's.
    if (value !== undefined && isForTools(name) && !(name.startsWith("SETT_") && value === ""))
      tools[name] = value;
  }
  const libraryPath = environment.SETT_IMAGE_LD_LIBRARY_PATH;
  if (libraryPath !== undefined && libraryPath !== "") tools.LD_LIBRARY_PATH = libraryPath;
  tools.SETT_AGENT_ROLE = role;
  const all = { ...tools, ...hidden };
  return { ...all, ...directToThisMachine(all) };
}

/** A prompt that is longer than a variable can be comes in such pieces. */
const pieceOfPrompt = /^(?:SETT_PROMPT_CLAIM|SETT_PROMPT_EXECUTION)_\d+$/;

/** These name the trace in which the cub itself was started, which is not that of the work. */
const ofOtherTraces = new Set(["TRACEPARENT", "TRACESTATE"]);

function isForTools(name: string): boolean {
  if (
    name === "REDIS_URL" ||
    name === "LD_LIBRARY_PATH" ||
    name.startsWith("BUN_") ||
    ofOtherTraces.has(name)
  )
    return false;
  return !name.startsWith("SETT_") || visibleToTools.has(name) || pieceOfPrompt.test(name);
}

/**
 * `environment` with the variable by which a program that traces itself makes its spans parts of
 * the goal's trace (W3C).
 */
export function withTrace(
  environment: Record<string, string>,
  traceparent: string | undefined,
): Record<string, string> {
  return traceparent === undefined ? environment : { ...environment, TRACEPARENT: traceparent };
}

/**
 * The `environment` of a bid command, which writes into a folder of its own: what a grant that runs
 * beside it has in `/tmp` is not its HOME.
 */
export function bidEnvironment(
  environment: Record<string, string>,
  folder: string,
): Record<string, string> {
  return { ...environment, TMPDIR: folder, ...(environment.HOME === "/tmp" && { HOME: folder }) };
}

/** Programs that are to use a proxy read these. Node.js does so only if it is asked to. */
export function proxyVariables(url: string | undefined): Record<string, string> {
  if (url === undefined) return {};
  const local = thisMachine.join(",");
  const variables = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: local };
  const lower = Object.entries(variables).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...variables, ...Object.fromEntries(lower), NODE_USE_ENV_PROXY: "1" };
}

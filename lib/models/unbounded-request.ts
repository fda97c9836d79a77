// Requests whose cost no reckoning bounds, because the provider itself would fetch, search or run
// something. They are refused.
import { isObject, type JsonObject, memberAt, textAt } from "../model/json.ts";

/**
 * Tools that the client runs, beside those with `execution: client`; every other `type` of a tool
 * runs at the provider. Versions follow the names: `bash_20250124`.
 */
const clientTools =
  /^(?:function|custom|namespace|bash|text_editor|computer|computer_use|memory|local_shell|shell|apply_patch)(?:_|$)/;

/**
 * Tools that a provider runs whatever else the request says: a server that does not know
 * `execution` would run them.
 */
const providerTools =
  /^(?:web_search|web_fetch|file_search|code_interpreter|code_execution|image_generation|mcp)(?:_|$)/;

/** Members that name something which only the provider has, with the remedy. */
const kept: Readonly<Record<string, string>> = {
  conversation: "Send the whole conversation.",
  prompt: "Send the prompt itself.",
  mcp_servers: "Let the agent's own program speak to MCP servers.",
  container: "Run commands in the agent's own container.",
  web_search_options: "Search the web with a tool of the agent's own.",
  plugins: "Search the web, and read files, with tools of the agent's own.",
  models: "The gateway passes the request on to the agent's one model.",
};

/**
 * Why the gateway cannot bound the request's cost, in a sentence with the remedy; undefined where
 * it can.
 */
export function problemOf(json: JsonObject): string | undefined {
  for (const [name, remedy] of Object.entries(kept)) {
    // Chat Completions of some servers have a `prompt` of their own, which is text.
    if (isObject(memberAt(json, name)) || (name !== "prompt" && isNamed(memberAt(json, name)))) {
      return `The gateway cannot bound the cost of a request with \`${name}\`. ${remedy}`;
    }
  }
  if (memberAt(json, "background"))
    return "The gateway passes no answers on that are made in the background. Leave `background` out.";
  const tier = textAt(json, "service_tier");
  if (tier === "priority" || tier === "fast" || textAt(json, "speed") === "fast") {
    return `The price of the model is not that of \`${tier === "" ? "speed" : "service_tier"}\` ${tier || "fast"}. Leave it out.`;
  }
  const place = textAt(json, "inference_geo");
  if (place !== "" && place !== "global" && place !== "not_available")
    return "The price of the model is not that of `inference_geo`. Leave it out.";
  const modalities = memberAt(json, "modalities");
  if (Array.isArray(modalities) && modalities.some((one) => one !== "text"))
    return "The price of the model is that of text. Leave out what `modalities` has beside it.";
  if (compacts(memberAt(json, "context_management")))
    return "The gateway cannot bound the cost of a request that lets the provider compact the conversation. Compact it in the agent.";
  const tool = toolsOf(json).find(runsAtProvider);
  if (tool !== undefined)
    return `The tool \`${textAt(tool, "type").slice(0, 60)}\` runs at the provider, at a cost that the gateway cannot bound. Leave it out.`;
  return undefined;
}

/** The tools of a request, also in namespaces. */
function toolsOf(json: unknown): unknown[] {
  const tools = memberAt(json, "tools");
  return Array.isArray(tools) ? tools.flatMap((tool) => [tool, ...toolsOf(tool)]) : [];
}

function runsAtProvider(tool: unknown): boolean {
  const type = textAt(tool, "type");
  const isClients = textAt(tool, "execution") === "client" && !providerTools.test(type);
  if (type !== "" && !clientTools.test(type) && !isClients) return true;
  const place = textAt(tool, "environment", "type");
  return type === "shell" && place !== "" && place !== "local";
}

/**
 * The provider writes a summary first: another call of the model, on top of the one that is
 * reckoned.
 */
function compacts(management: unknown): boolean {
  const edits = isObject(management) ? memberAt(management, "edits") : management;
  return Array.isArray(edits) && edits.some((edit) => textAt(edit, "type").startsWith("compact"));
}

function isNamed(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || (Array.isArray(value) && value.length > 0);
}

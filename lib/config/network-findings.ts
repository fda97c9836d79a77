// Warns where an agent looks as if it needs the network, and has none, and where it has all of it:
// `network` and `egress` of sett.yml.
import type { AgentConfig, SettConfig } from "../model/config.ts";
import { isModelVariable } from "../models/providers.ts";
import type { ConfigPath } from "./problems.ts";

type Finding = { path: ConfigPath; sentence: string };

/**
 * Words of commands that mostly reach other machines, with the hosts that they reach where these
 * are known.
 */
const needs: [RegExp, string?][] = [
  [/\b(?:npm|pnpm) (?:ci|install|i|add|exec)\b|\bnpx\b/, "registry.npmjs.org:443"],
  [/\byarn (?:install|add)\b/, "registry.yarnpkg.com:443"],
  [/\bbun (?:install|add|i)\b|\bbunx\b/, "registry.npmjs.org:443"],
  [/\bpip3? (?:install|download)\b|\buv (?:pip|sync|add)\b|\bpoetry install\b/, "pypi.org:443"],
  [/\bcargo (?:fetch|install|update)\b/, "index.crates.io:443"],
  [/\bgo (?:get|install|mod download)\b/, "proxy.golang.org:443"],
  [/\b(?:bundle|gem) install\b/, "rubygems.org:443"],
  [/\bapt(?:-get)? (?:update|install)\b/, "deb.debian.org:80"],
  [/\bgit (?:clone|fetch|pull|push|ls-remote)\b/],
  [/\b(?:curl|wget|ssh|scp|rsync|gh|glab|kubectl|terraform|aws|gcloud|az)\b/],
];

const url =
  /\b(?:https?|wss?):\/\/(?:[^/\s"'@]*@)?(?<host>[\w.-]+\.[a-z]{2,}|\d+(?:\.\d+){3})(?::(?<port>\d+))?/i;
/** Their variables name a server that the agent is to reach; the gateway replaces others. */
const local = /^(?:127\.|0\.0\.0\.0)/;

/** By the words of commands and variables. Files of the image are not seen. */
export function networkWarnings({ agents }: Pick<SettConfig, "agents">): Finding[] {
  return agents.flatMap((agent) => {
    if (agent.network === "direct") {
      const sentence =
        "is `direct`, which also reaches this machine and your local network: `open` or `egress` do not";
      return [{ path: ["agents", agent.name, "network"], sentence }];
    }
    if (agent.network !== "board" || agent.egress.length > 0) return [];
    const found = needOf(agent);
    if (found === undefined) return tokenFindings(agent);
    const { key, words, host } = found;
    const remedy = `\`egress: ["${host ?? "HOST:PORT"}"]\` lets it reach ${host === undefined ? "one" : "it"}, \`network: open\` every public one`;
    return [
      {
        path: ["agents", agent.name, key],
        sentence: `\`${words}\` looks as if it needs other machines: ${remedy}`,
      },
    ];
  });
}

/**
 * Variables with which programs sign in to a server on the public network, and the lines of
 * `egress` that lead there.
 */
const tokens: readonly [variable: RegExp, hosts: readonly string[]][] = [
  [/^(?:GITHUB|GH)_(?:TOKEN|PAT)$/, ["api.github.com:443", "github.com:443"]],
  [/^(?:GITLAB|GL)_TOKEN$|^GITLAB_PRIVATE_TOKEN$/, ["gitlab.com:443"]],
  [/^(?:NPM|NODE_AUTH)_TOKEN$/, ["registry.npmjs.org:443"]],
  [/^(?:TWINE_PASSWORD|UV_PUBLISH_TOKEN|PYPI_TOKEN)$/, ["upload.pypi.org:443"]],
  [/^CARGO_REGISTRY_TOKEN$/, ["crates.io:443"]],
  [/^SLACK_(?:BOT_)?TOKEN$/, ["slack.com:443"]],
  [/^SENTRY_AUTH_TOKEN$/, ["sentry.io:443"]],
  [/^HF_TOKEN$|^HUGGING_?FACE_HUB_TOKEN$/, ["huggingface.co:443"]],
];

/** A token is of no use where its server cannot be reached. */
function tokenFindings({ name, environment, secrets }: AgentConfig): Finding[] {
  const variables = [
    ...Object.keys(environment).map((variable) => ({ key: "environment", variable })),
    ...secrets.flatMap(({ variable }) =>
      variable === undefined ? [] : [{ key: "secrets", variable }],
    ),
  ];
  return variables.flatMap(({ key, variable }) => {
    const hosts = tokens.find(([pattern]) => pattern.test(variable))?.[1];
    if (hosts === undefined) return [];
    const lines = `\`egress: [${hosts.map((host) => `"${host}"`).join(", ")}]\``;
    const sentence = `\`${variable}\` is of use only where its server is reached, and this agent reaches no network: ${lines} opens the way`;
    return [{ path: ["agents", name, key], sentence }];
  });
}

type Need = {
  key: "command" | "bid_command" | "environment";
  words: string;
  host: string | undefined;
};

function needOf({ command, bid_command = [], environment, model }: AgentConfig): Need | undefined {
  for (const [key, words] of [
    ["command", command],
    ["bid_command", bid_command],
  ] as const) {
    const text = words.join(" ");
    for (const [pattern, host] of needs) {
      const [found] = pattern.exec(text) ?? [];
      if (found !== undefined) return { key, words: found, host: host ?? hostIn(text) };
    }
  }
  for (const [name, value] of Object.entries(environment)) {
    const host = hostIn(value);
    const isReplaced = model !== undefined && isModelVariable(name);
    if (host !== undefined && !isReplaced) return { key: "environment", words: name, host };
  }
  return undefined;
}

function hostIn(text: string): string | undefined {
  const match = url.exec(text);
  const { host, port } = match?.groups ?? {};
  if (match === null || host === undefined || local.test(host)) return undefined;
  return `${host}:${port ?? (/^(?:http|ws):/i.test(match[0]) ? 80 : 443)}`;
}

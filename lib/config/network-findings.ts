// Warns where an agent looks as if it needs the network, and has none, and where it has all of it:
// `network` and `egress` of sett.yml.
import type { AgentConfig, SettConfig } from "../model/config.ts";
import { allowedBy, parseTarget, reachOf } from "../model/egress.ts";
import { isModelVariable, providers } from "../models/providers.ts";
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
  [
    /\bmvn (?!.*(?:-o|--offline)\b)(?:-\S+ )*(?:compile|test|package|verify|install|deploy)\b/,
    "repo.maven.apache.org:443",
  ],
  [/\bdotnet (?!.*--no-restore\b)(?:restore|build|test|publish)\b/, "api.nuget.org:443"],
  [/\bcomposer (?:install|update|require)\b/, "repo.packagist.org:443"],
  [/\bmix deps\.get\b/, "repo.hex.pm:443"],
  [/\b(?:conda|mamba) (?:install|create)\b/, "conda.anaconda.org:443"],
  [/\b(?:uvx|pipx run)\b/, "pypi.org:443"],
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
    const found = agent.network === "board" && agent.egress.length === 0 && needOf(agent);
    const own = found ? needFindings(agent.name, found) : tokenFindings(agent);
    return [...own, ...prepareFindings(agent)];
  });
}

function needFindings(agent: string, { key, words, host }: Need): Finding[] {
  const remedy = `\`egress: ["${host ?? "HOST:PORT"}"]\` lets it reach ${host === undefined ? "one" : "it"}, \`network: open\` every public one`;
  const sentence = `\`${words}\` looks as if it needs other machines: ${remedy}`;
  return [{ path: ["agents", agent, key], sentence }];
}

/** What is prepared reaches what is named there, whatever the agent itself reaches. */
function prepareFindings({ name, workspace: { prepare } }: AgentConfig): Finding[] {
  if (prepare === undefined || prepare.egress.length > 0) return [];
  const found = needIn(prepare.run);
  if (found === undefined) return [];
  const remedy = `\`network: { egress: ["${found.host ?? "HOST:PORT"}"] }\` beside it lets it reach ${found.host === undefined ? "one" : "it"}`;
  const sentence = `\`${found.words}\` looks as if it needs other machines, whatever the agent itself reaches: ${remedy}`;
  return [{ path: ["agents", name, "workspace", "prepare", "run"], sentence }];
}

/** The ends of names of variables with which programs sign in to a server. */
const key = "(?:TOKEN|PAT|(?:API|AUTH|ACCESS)_?KEY|PASSWORD|WEBHOOK(?:_URL)?)";

/** `names` is whose key it is, at any place of a name: `MY_GITHUB_ACCESS_TOKEN`. */
const keyOf = (names: string) => new RegExp(`(?:^|_)(?:${names})_(?:[A-Z]+_)*${key}$`);

/**
 * Keys of servers on the public network, and the lines of `egress` that lead there. One of an
 * `ENTERPRISE`, or of Cargo's other `REGISTRIES`, is for a server of its own.
 */
const tokens: readonly [variable: RegExp, hosts: readonly string[]][] = [
  [keyOf("GITHUB|GH"), ["api.github.com:443", "github.com:443"]],
  [keyOf("GITLAB|GL"), ["gitlab.com:443"]],
  [keyOf("NPM|NODE_AUTH"), ["registry.npmjs.org:443"]],
  [keyOf("TWINE|UV_PUBLISH|PYPI|FLIT"), ["upload.pypi.org:443"]],
  [keyOf("CARGO_REGISTRY|CARGO"), ["crates.io:443"]],
  [keyOf("SLACK"), ["slack.com:443", "hooks.slack.com:443"]],
  [keyOf("SENTRY"), ["sentry.io:443"]],
  [keyOf("HF|HUGGING_?FACE(?:_?HUB)?"), ["huggingface.co:443"]],
  [keyOf("BITBUCKET"), ["api.bitbucket.org:443", "bitbucket.org:443"]],
  [keyOf("LINEAR"), ["api.linear.app:443"]],
  [keyOf("GEM_HOST|RUBYGEMS"), ["rubygems.org:443"]],
  [keyOf("NUGET"), ["api.nuget.org:443"]],
  [keyOf("VERCEL"), ["api.vercel.com:443"]],
  [keyOf("NETLIFY"), ["api.netlify.com:443"]],
  [keyOf("HEROKU"), ["api.heroku.com:443"]],
  [keyOf("DIGITALOCEAN"), ["api.digitalocean.com:443"]],
  [keyOf("CLOUDFLARE|CF"), ["api.cloudflare.com:443"]],
  [keyOf("NOTION"), ["api.notion.com:443"]],
  [keyOf("TELEGRAM"), ["api.telegram.org:443"]],
  [keyOf("DISCORD"), ["discord.com:443"]],
  [keyOf("STRIPE"), ["api.stripe.com:443"]],
];
const ofOwnServer = /(?:^|_)(?:ENTERPRISE|REGISTRIES)_/;

/** Any other key of a server. A password may be for something inside of the container. */
const anyKey = /_(?:TOKEN|PAT|API_?KEY|AUTH_?KEY|ACCESS_KEY(?:_ID)?|WEBHOOK(?:_URL)?)$/;

/** Who reaches another server than these may have one of the same kind there, with such a token. */
const publicHosts = new Set([
  ...needs.flatMap(([, host]) => host ?? []),
  ...tokens.flatMap(([, hosts]) => hosts),
]);

/** Those of providers that `models` knows have a better place. */
const ofModels = new RegExp(
  `^(?:${Object.values(providers)
    .map(({ variables }) => variables.key)
    .join("|")})$`,
);

/** A token is of no use where its server cannot be reached. */
function tokenFindings({ name, environment, secrets, model, ...agent }: AgentConfig): Finding[] {
  const targets = reachOf(agent).flatMap((text) => parseTarget(text) ?? []);
  const isReached = (host: string) => {
    const target = parseTarget(host);
    return (
      target !== undefined && allowedBy(targets, target.host, Number(target.port)) !== undefined
    );
  };
  const reachesOwn = targets.some(({ host, port }) => !publicHosts.has(`${host}:${port}`));
  const variables = [
    ...Object.keys(environment).map((variable) => ({ key: "environment", variable })),
    ...secrets.flatMap(({ variable }) =>
      variable === undefined ? [] : [{ key: "secrets", variable }],
    ),
  ];
  return variables.flatMap(({ key, variable }) => {
    const path = ["agents", name, key];
    if (ofModels.test(variable) && targets.length === 0 && model === undefined) {
      const sentence = `\`${variable}\` is of no use here, because this agent reaches no network: below \`models\` its key lets the agent ask a model, and stays out of its container`;
      return [{ path, sentence }];
    }
    const hosts = hostsOf(variable);
    if (hosts === undefined || reachesOwn || hosts.some(isReached)) return [];
    if (hosts.length === 0 && (targets.length > 0 || isModelVariable(variable))) return [];
    const named = hosts.length === 0 ? ["HOST:PORT"] : hosts;
    const lines = `\`egress: [${named.map((host) => `"${host}"`).join(", ")}]\``;
    const reached = targets.length === 0 ? "reaches no network" : "does not reach it";
    const sentence = `\`${variable}\` is of use only where its server is reached, and this agent ${reached}: ${lines} opens the way`;
    return [{ path, sentence }];
  });
}

/** None where it is the key of some server; undefined where the name says nothing. */
function hostsOf(variable: string): readonly string[] | undefined {
  const known = tokens.find(([pattern]) => pattern.test(variable))?.[1];
  if (known !== undefined && !ofOwnServer.test(variable)) return known;
  return anyKey.test(variable) ? [] : undefined;
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
    const found = needIn(words.join(" "));
    if (found !== undefined) return { key, ...found };
  }
  for (const [name, value] of Object.entries(environment)) {
    const host = hostIn(value);
    const isReplaced = model !== undefined && isModelVariable(name);
    if (host !== undefined && !isReplaced) return { key: "environment", words: name, host };
  }
  return undefined;
}

function needIn(text: string): Pick<Need, "words" | "host"> | undefined {
  for (const [pattern, host] of needs) {
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) return { words: found, host: host ?? hostIn(text) };
  }
  return undefined;
}

function hostIn(text: string): string | undefined {
  const match = url.exec(text);
  const { host, port } = match?.groups ?? {};
  if (match === null || host === undefined || local.test(host)) return undefined;
  return `${host}:${port ?? (/^(?:http|ws):/i.test(match[0]) ? 80 : 443)}`;
}

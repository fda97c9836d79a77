// Finds what is wrong or doubtful between `agents` and `models`.
import { formatAmount } from "../model/amounts.ts";
import type { Budget } from "../model/budget.ts";
import type { AgentConfig, SettConfig } from "../model/config.ts";
import { workerOutput } from "../model/config-environment.ts";
import { besideModels, type ModelSettings } from "../model/config-models.ts";
import { hasLimits, type PeriodLimits } from "../model/spending.ts";
import { isModelVariable } from "../models/providers.ts";
import { maxAnswer } from "../models/worst-case.ts";
import { nearestWord } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";

type Finding = { path: ConfigPath; sentence: string };

/**
 * A mistake for each agent whose model is not there. Both maps as the file has them; the schema
 * reports what is of another kind.
 */
export function unknownModels(
  agents: Readonly<Record<string, unknown>>,
  models: Readonly<Record<string, unknown>>,
): Finding[] {
  const names = Object.keys(models).filter((name) => !besideModels.some((one) => one === name));
  return Object.entries(agents).flatMap(([agent, settings]) => {
    const model: unknown = Object(settings).model;
    if (typeof model !== "string" || names.includes(model)) return [];
    const meant = nearestWord(model, names);
    const remedy =
      names.length === 0
        ? "the file needs `models`, which say what it is"
        : meant === undefined
          ? `known are ${names.map((name) => `\`${name}\``).join(", ")}`
          : `did you mean \`${meant}\`?`;
    return [
      { path: ["agents", agent, "model"], sentence: `\`models\` has no \`${model}\`: ${remedy}` },
    ];
  });
}

/** A mistake for each model of a `fallback` that cannot answer there: clients speak one API. */
export function wrongFallbacks(models: Readonly<Record<string, unknown>>): Finding[] {
  const names = Object.keys(models).filter((name) => !besideModels.some((one) => one === name));
  return names.flatMap((name) => {
    const { fallback, provider } = Object(models[name]);
    if (!Array.isArray(fallback)) return [];
    return fallback.flatMap((other: unknown, at) => {
      if (typeof other !== "string") return [];
      const sentence = fallbackProblem(other, { name, before: fallback.slice(0, at), names });
      const theirs: unknown = Object(models[other]).provider;
      const differs = `has the \`provider\` \`${theirs}\`, and \`${name}\` has \`${provider}\`: an agent's client speaks one API`;
      const problem = sentence ?? (theirs === provider ? undefined : `\`${other}\` ${differs}`);
      return problem === undefined
        ? []
        : [{ path: ["models", name, "fallback", at], sentence: problem }];
    });
  });
}

function fallbackProblem(
  other: string,
  { name, before, names }: { name: string; before: unknown[]; names: readonly string[] },
): string | undefined {
  if (other === name) return "is the model itself";
  if (before.includes(other)) return `names \`${other}\` a second time`;
  if (names.includes(other)) return undefined;
  const meant = nearestWord(other, names);
  const remedy = meant === undefined ? "add it, or leave it out" : `did you mean \`${meant}\`?`;
  return `\`models\` has no \`${other}\`: ${remedy}`;
}

/** Whether calls of this agent may be answered by this model. */
function isUsed({ models }: SettConfig, name: string) {
  return ({ model }: Pick<AgentConfig, "model">) =>
    model === name || models.settings[model ?? ""]?.fallback?.includes(name) === true;
}

/** Warnings about models, and about agents that ask one. */
export function modelWarnings(config: SettConfig): Finding[] {
  const { agents, limits, models } = config;
  return [
    ...ignoringAgents(config),
    ...replacedVariables(config),
    ...unusedModels(config),
    ...idleBudget(config),
    ...unlimitedModels(config),
    ...emptyBudgets(["limits"], limits.budget, Object.values(models.settings)),
    ...smallBudgets(config),
    ...agents.flatMap(({ name, model = "", budget }) => {
      const settings = models.settings[model];
      return settings === undefined ? [] : emptyBudgets(["agents", name], budget, [settings]);
    }),
  ];
}

/**
 * Agents that bid `ignore` on everything: a prompt would decide, and there is no model to read it.
 */
function ignoringAgents({ agents }: SettConfig): Finding[] {
  return agents
    .filter(({ prompts, model, bids, bid_command }) => {
      return (
        prompts.claim !== undefined &&
        model === undefined &&
        bids.length === 0 &&
        bid_command === undefined
      );
    })
    .map(({ name }) => ({
      path: ["agents", name, "prompts"],
      sentence: "need a `model`: without one, or `bids`, this agent ignores everything",
    }));
}

function replacedVariables({ agents }: SettConfig): Finding[] {
  return agents.flatMap(({ name, model, environment }) => {
    const own = model === undefined ? [] : Object.keys(environment).filter(isModelVariable);
    const sentence = `sets ${own.map((variable) => `\`${variable}\``).join(", ")}, which \`model\` sets, too: the address and token of the gateway count`;
    return own.length === 0 ? [] : [{ path: ["agents", name, "environment"], sentence }];
  });
}

function unusedModels(config: SettConfig): Finding[] {
  return Object.keys(config.models.settings)
    .filter((name) => !config.agents.some(isUsed(config, name)))
    .map((name) => ({ path: ["models", name], sentence: `no agent has \`model: ${name}\`` }));
}

function idleBudget({ models, limits }: SettConfig): Finding[] {
  const isThere = Object.keys(limits.budget).length > 0 || hasLimits(limits.spending);
  const isIdle = Object.keys(models.settings).length === 0 && isThere;
  return isIdle
    ? [{ path: ["limits", "budget"], sentence: "has no effect: the file has no `models`" }]
    : [];
}

/** A budget in dollars does not limit a model whose price is not known. */
function unlimitedModels(config: SettConfig): Finding[] {
  const { agents, models, limits } = config;
  const counts = ({ tokens, calls }: Budget) => tokens !== undefined || calls !== undefined;
  return Object.entries(models.settings).flatMap(([name, { price, model }]) => {
    const users = agents.filter(isUsed(config, name));
    if (price !== undefined || counts(limits.budget) || users.every(({ budget }) => counts(budget)))
      return [];
    const sentence = `the price of \`${model}\` is not known, so that its calls count as 0 dollars: write its \`price\`, or \`tokens\` or \`calls\` in \`limits.budget\``;
    return [{ path: ["models", name], sentence }];
  });
}

/** A budget of 0 is allowed: it stops every call that would cost something. */
function emptyBudgets(
  path: ConfigPath,
  { nanousd, tokens, calls }: Budget,
  models: readonly ModelSettings[],
): Finding[] {
  const costsSomething = models.some(
    ({ price }) => price !== undefined && (price.input > 0 || price.output > 0),
  );
  const empty = [
    nanousd === 0 && costsSomething ? "usd" : [],
    tokens === 0 ? "tokens" : [],
    calls === 0 ? "calls" : [],
  ].flat();
  return empty.map((key) => ({
    path: [...path, "budget", key],
    sentence: "is 0, which allows no call of a model",
  }));
}

/**
 * A budget that allows no single call of a model that it counts: the longest answer that an agent
 * asks for costs more. The built-in worker names a limit of its own; a command may name none.
 */
function smallBudgets(config: SettConfig): Finding[] {
  const { agents, limits, models } = config;
  const calls = agents.flatMap((agent) => {
    const model = models.settings[agent.model ?? ""];
    return model === undefined ? [] : [{ agent, need: maxAnswer(outputOf(agent, model), model) }];
  });
  const [least] = calls.map(({ need }) => need).sort((one, other) => one.nanousd - other.nanousd);
  const shared = least === undefined ? [] : sharedBudgets(limits);
  return [
    ...shared.map((named) => ({ ...named, need: least as Need })),
    ...calls.map(({ agent: { name, budget }, need }) => ({
      path: ["agents", name, "budget"],
      budget,
      need,
    })),
  ].flatMap(({ path, budget, need }) => {
    const sentence = tooSmall(budget, need);
    return sentence === undefined ? [] : [{ path, sentence }];
  });
}

type Named = { path: ConfigPath; budget: Budget };
type Need = ReturnType<typeof maxAnswer>;

function sharedBudgets({ budget, spending }: SettConfig["limits"]): Named[] {
  const path = ["limits", "budget"];
  return [
    { path, budget },
    ...periodsOf(path, spending.instance),
    ...Object.entries(spending.people).flatMap(([name, limits]) =>
      periodsOf([...path, "people", name], limits),
    ),
    ...Object.entries(spending.triggers).flatMap(([name, { goal = {}, ...limits }]) => [
      { path: ["triggers", name, "budget", "per_goal"], budget: goal },
      ...periodsOf(["triggers", name, "budget"], limits),
    ]),
  ];
}

function periodsOf(path: ConfigPath, { day = {}, month = {} }: PeriodLimits): Named[] {
  return [
    { path: [...path, "per_day"], budget: day },
    { path: [...path, "per_month"], budget: month },
  ];
}

/** In tokens; undefined where the call names no limit. */
function outputOf(
  { command, environment }: Pick<AgentConfig, "command" | "environment">,
  { max_output }: ModelSettings,
): number | undefined {
  if (command.length > 0) return undefined;
  const own = Number(environment.SETT_WORK_OUTPUT ?? workerOutput);
  return Math.min(own > 0 ? own : workerOutput, max_output ?? Number.POSITIVE_INFINITY);
}

/** A budget of 0 has a warning of its own. */
function tooSmall({ nanousd, tokens }: Budget, { output, nanousd: cost }: Need) {
  const isTooSmall = (limit: number | undefined, need: number) =>
    limit !== undefined && limit > 0 && limit < need;
  const may = isTooSmall(nanousd, cost)
    ? `cost: an answer of ${output} tokens costs ${formatAmount("nanousd", cost)}`
    : isTooSmall(tokens, output)
      ? `need: its answer may have ${output} tokens`
      : undefined;
  if (may === undefined) return undefined;
  return `is less than one call of a model may ${may}. Raise it, or write a smaller \`max_output\` for the model`;
}

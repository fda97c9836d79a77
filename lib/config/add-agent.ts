// The text of a sett.yml with one more agent that is a package. Pure.
import { stringify } from "yaml";
import { Provider } from "../model/config-models.ts";
import type { PackageApi, PackageRights } from "../model/package.ts";
import { providers } from "../models/providers.ts";
import { insertIntoMap } from "./insert-into-map.ts";
import { rightLines } from "./with-packages.ts";
import { parseYaml } from "./yaml-file.ts";

export type NewAgent = {
  name: string;
  use: string;
  asks: PackageRights;
  /** A name in `models`. Default: the first one that fits, else a new one. */
  model?: string | undefined;
};

/** The variable from which the new model takes its key. */
export function keyVariable(provider: Provider): string {
  return providers[provider].variables.key;
}

/** The provider whose key this environment has, of those that the package can use. */
export function providerFor(
  api: PackageApi,
  env: Readonly<Record<string, string | undefined>>,
): Provider {
  if (api !== "any") return api;
  const isSet = (name: Provider) => (env[keyVariable(name)] ?? "") !== "";
  return Provider.options.reduce((best, name) => (!isSet(best) && isSet(name) ? name : best));
}

/**
 * Each step is a text of its own, so that a person can be shown what it changes. `newModel`: the
 * name of a model that was not in the file.
 */
export function addAgent(
  text: string,
  { name, use, asks, model }: NewAgent,
  provider: Provider,
): { steps: string[]; newModel?: string } {
  const data: Record<string, unknown> = Object(parseYaml(text).data);
  const models = Object.entries(Object(data.models)).filter(([, one]) => Object(one).provider);
  const fits = ([, one]: [string, unknown]) =>
    asks.model === "any" || Object(one).provider === asks.model;
  const known = asks.model === undefined ? undefined : (model ?? models.find(fits)?.[0]);
  const names = models.map(([each]) => each);
  const newModel =
    asks.model === undefined || known !== undefined ? undefined : freeName("strong", names);
  const steps: string[] = [];
  if (newModel !== undefined)
    steps.push(
      insertIntoMap(text, {
        ...{ map: "models", key: newModel, before: "agents" },
        value: linesOf(provider),
      }),
    );
  const named = known ?? newModel;
  const value = [
    `use: ${yamlText(use)}`,
    ...(named === undefined ? [] : [`model: ${yamlText(named)}`]),
    ...Object.values(rightLines(asks)).filter((line) => line !== undefined),
  ];
  steps.push(insertIntoMap(steps.at(-1) ?? text, { map: "agents", key: name, value }));
  return { steps, ...(newModel !== undefined && { newModel }) };
}

/** The first sett.yml of a repository, without any agent yet. */
export const emptySettYml = `# yaml-language-server: $schema=sett.schema.json
# The agents that work on this repository together. \`sett add --list\` names ready ones.
#
#   sett validate                       checks this file
#   sett up                             builds the images and starts the containers
#   sett forage --goal "…" --watch      posts a goal and shows what happens
#   sett down                           stops the containers; the records stay
version: '1.0'
`;

function freeName(wanted: string, taken: readonly string[]): string {
  let name = wanted;
  for (let number = 2; taken.includes(name); number += 1) name = `${wanted}-${number}`;
  return name;
}

/** In quotes where YAML would read something else. */
function yamlText(text: string): string {
  return stringify(text, { lineWidth: 0, blockQuote: false }).trimEnd();
}

function linesOf(provider: Provider): string[] {
  const { firstModel, variables } = providers[provider];
  return [`provider: ${provider}`, `model: ${firstModel}`, `key: \${${variables.key}}`];
}

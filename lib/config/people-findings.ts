// Finds what is wrong in `people`, and in that of agents.
import type { SettConfig } from "../model/config.ts";
import { peopleIn, problemOfPersonName } from "../model/people.ts";
import { nearestWord } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";

type RawMap = Readonly<Record<string, unknown>>;

/** Both as the file has them: the schema reports what is of another kind. */
export function peopleMistakes(
  agents: RawMap,
  file: RawMap,
): { path: ConfigPath; sentence: string; side?: "key" }[] {
  const people = peopleIn(file);
  const wrong = Object.keys(people).flatMap((name) => {
    const sentence = problemOfPersonName(name);
    return sentence === undefined
      ? []
      : [{ path: ["people", name], sentence, side: "key" as const }];
  });
  const needsKeys = file.signed === "required" && file.signers === undefined;
  const path = ["people", "signed"];
  const keys = needsKeys ? [{ path, sentence: "needs `signers`: no signature would count" }] : [];
  const names = Object.entries(people).flatMap(([name, settings]) => {
    const { groups } = Object(settings);
    return [name, ...(Array.isArray(groups) ? groups : [])];
  });
  const unknown = Object.entries(agents).flatMap(([agent, settings]) => {
    const { people: named } = Object(settings);
    if (!Array.isArray(named)) return [];
    return named.flatMap((name, at) => {
      if (typeof name !== "string" || names.includes(name)) return [];
      const meant = nearestWord(name, names);
      const hint = meant === undefined ? "" : `; did you mean \`${meant}\`?`;
      const sentence = `no person and no group of \`people\` has the name \`${name}\`${hint}`;
      return [{ path: ["agents", agent, "people", at], sentence }];
    });
  });
  const quorums = Object.entries(agents).flatMap(([agent, settings]) =>
    quorumMistakes(Object(settings), people, file.signed === "required").map(
      ({ key, sentence }) => ({ path: ["agents", agent, key], sentence }),
    ),
  );
  return [...wrong, ...keys, ...unknown, ...quorums];
}

/** Enough people may approve, but not where one of them has had a part in the work. */
export function quorumWarnings({
  people: asked,
}: Pick<SettConfig, "people">): { path: ConfigPath; sentence: string }[] {
  return asked.flatMap(({ name, people = [], approvals = 1, not_by = [] }) =>
    not_by.length === 0 || people.length > approvals
      ? []
      : [
          {
            path: ["agents", name, "not_by"],
            sentence: `leaves too few where one of ${people.map((one) => `\`${one.name}\``).join(", ")} has had a part in it: such work waits for ever. Let one person more approve`,
          },
        ],
  );
}

/** So many approvals, or approvals of these people, could never be had. */
function quorumMistakes(
  { human, people: named, approvals, not_by }: RawMap,
  people: RawMap,
  isSigned: boolean,
): { key: string; sentence: string }[] {
  if (human !== true) return [];
  const keys = Object.entries({ approvals, not_by }).flatMap(([key, value]) =>
    value === undefined ? [] : [key],
  );
  if (!Array.isArray(named))
    return keys.map((key) => ({
      ...{
        key,
        sentence:
          "needs `people`: who may approve. Without it every name that is typed would be a person of its own",
      },
    }));
  const may = Object.entries(people).filter(([name, settings]) => {
    const { groups } = Object(settings);
    return (
      named.includes(name) || (Array.isArray(groups) && groups.some((one) => named.includes(one)))
    );
  }).length;
  const tooMany = typeof approvals === "number" && approvals > may;
  return [
    ...(tooMany
      ? [{ key: "approvals", sentence: `is more than the people who may approve, who are ${may}` }]
      : []),
    ...(not_by !== undefined && !isSigned
      ? [
          {
            key: "not_by",
            sentence:
              "needs `signed: required` in `people`: without signatures a person may take another name",
          },
        ]
      : []),
  ];
}

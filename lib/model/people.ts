// The people of sett.yml, by whom approvals may be given.
import { z } from "zod";
import { ForgeName } from "./config-forges.ts";

const PersonName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, {
  error: "must be a name of lower-case letters, digits and `-`, such as `ada`",
});

const PersonFile = z.strictObject({
  email: z
    .string()
    .regex(/^[^\s<>@]+@[^\s<>@]+$/, { error: "must be an address such as `ada@example.org`" })
    .optional()
    .describe("The address that git, or an identity provider, knows the person by."),
  accounts: z
    .record(ForgeName, z.string().regex(/^[\w.-]{1,100}$/, { error: "must be an account" }))
    .optional()
    .describe("The person's accounts at forges, by the names in `forges`: `{ hub: ada-l }`."),
  groups: z
    .array(PersonName)
    .max(100)
    .default([])
    .describe("Groups that the person is in: names for several people."),
});
type PersonFile = z.infer<typeof PersonFile>;

export const PeopleFile = z
  .object({
    signers: z
      .string({ error: "is the file of the keys of people, as text: no person has this name" })
      .min(1, { error: "must name a file" })
      .optional()
      .describe(
        "The file with the keys by which people sign, as OpenSSH's `allowed_signers`. What is signed otherwise is refused.",
      ),
    signed: z
      .literal("required", { error: "must be `required`: no person has this name" })
      .optional()
      .describe(
        "`required`: approvals, rejections, answers and goals of people are refused without a signature. Needs `signers`.",
      ),
  })
  .catchall(PersonFile)
  .prefault({})
  .transform((file): PeopleFile => {
    const { signers, signed, ...known } = file;
    return { signers, isSignedRequired: signed === "required", known: known as KnownPeople };
  })
  .describe(
    "Who is who: people by name, and how they sign. `people` of an agent with `human: true` names them.",
  );
export type KnownPeople = Readonly<Record<string, PersonFile>>;
export type PeopleFile = {
  signers: string | undefined;
  isSignedRequired: boolean;
  known: KnownPeople;
};

/** The people are as the file has them, but for how they sign. */
export function peopleIn(file: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { signers: _keys, signed: _rule, ...people } = file;
  return people;
}

/** A sentence where no person can have the name. */
export function problemOfPersonName(name: string): string | undefined {
  const read = PersonName.safeParse(name);
  return read.success ? undefined : read.error.issues[0]?.message;
}

/** A person as the record of an agent has them. */
export const KnownPerson = z.strictObject({ name: PersonName, email: z.string().optional() });
export type KnownPerson = z.infer<typeof KnownPerson>;

/**
 * How the people of the instance sign. `signers`: the text of the file. Each registration has it,
 * so that decisions name it.
 */
export const Signing = z.strictObject({
  signers: z.string(),
  people: z.array(KnownPerson),
  required: z.literal(true).optional(),
});
export type Signing = z.infer<typeof Signing>;

/** The people that these names mean, each once: names of people, and of groups. */
export function peopleNamed(names: readonly string[], people: KnownPeople): KnownPerson[] {
  return Object.entries(people).flatMap(([name, { email, groups }]) => {
    const isNamed = names.includes(name) || groups.some((group) => names.includes(group));
    return isNamed ? [{ name, ...(email !== undefined && { email }) }] : [];
  });
}

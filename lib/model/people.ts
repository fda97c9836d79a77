// The people of sett.yml, by whom approvals may be given.
import { z } from "zod";
import { ForgeName } from "./config-forges.ts";

const PersonName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, {
  error: "must be a name of lower-case letters, digits and `-`, such as `ada`",
});

export const PeopleFile = z
  .record(
    PersonName,
    z.strictObject({
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
    }),
  )
  .default({})
  .describe("Who is who: people by name. `people` of an agent with `human: true` names them.");
export type PeopleFile = z.infer<typeof PeopleFile>;

/** A person as the record of an agent has them. */
export const KnownPerson = z.strictObject({ name: PersonName, email: z.string().optional() });
export type KnownPerson = z.infer<typeof KnownPerson>;

/** The people that these names mean, each once: names of people, and of groups. */
export function peopleNamed(names: readonly string[], people: PeopleFile): KnownPerson[] {
  return Object.entries(people).flatMap(([name, { email, groups }]) => {
    const isNamed = names.includes(name) || groups.some((group) => names.includes(group));
    return isNamed ? [{ name, ...(email !== undefined && { email }) }] : [];
  });
}

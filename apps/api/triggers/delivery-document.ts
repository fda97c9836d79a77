// Describes deliveries to `/hooks/NAME` for the API's document, by the forges that Sett knows.
import { z } from "@hono/zod-openapi";
import { forges } from "../../../lib/triggers/forges.ts";

const all = Object.values(forges);

const header = (name: string, description: string) =>
  z
    .string()
    .min(1)
    .max(100)
    .optional()
    .openapi({ param: { name, in: "header" }, description });

export const ForgeHeaders = z.object(
  Object.fromEntries(
    all.flatMap(({ document }) =>
      document.headers.map(({ name, description }) => [name, header(name, description)]),
    ),
  ),
);

/** One of these headers says who sends a delivery. */
export const deliverySchemes = all.flatMap(({ document }) => Object.entries(document.schemes));

export const deliverySecurity: Record<string, string[]>[] = deliverySchemes.map(([scheme]) => ({
  [scheme]: [],
}));

/** The names of all forges: GitHub, GitLab and Gitea. */
export const allForges = new Intl.ListFormat("en-GB").format(all.map(({ label }) => label));

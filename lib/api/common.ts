// Shapes that many routes share.
import { z } from "@hono/zod-openapi";

export const Problem = z
  .strictObject({
    type: z.string().openapi({ example: "https://sett.dev/problems/artefact-not-found" }),
    title: z.string(),
    status: z.int(),
    detail: z
      .string()
      .openapi({ description: "What has happened: the sentence that `sett` prints, too." }),
    hint: z.string().optional().openapi({ description: "What to do next." }),
    code: z.string().openapi({ example: "artefact-not-found" }),
  })
  .openapi("Problem", { description: "Why a request was not carried out (RFC 9457)." });

const problem = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: Problem } },
});

const problems = {
  401: problem("It is not known who asks."),
  403: problem("The token may not do this."),
  404: problem("There is no such thing."),
  408: problem("The body of the request came too slowly."),
  409: problem("The instance refuses this: the sentence says why."),
  413: problem("The body is too large."),
  415: problem("The body does not say that it is JSON."),
  421: problem(
    "The request is for another host: `sett ui` answers to names of this machine alone.",
  ),
  422: problem(
    "The request is wrong: a parameter, the body, or an id that several things begin with.",
  ),
  429: problem("Too many requests: `Retry-After` says when to try again."),
  431: {
    description: "The request's line and headers have more than 16 KiB. The answer has no body.",
  },
  503: problem("Redis or another part of the instance does not answer."),
} as const;

/** Lists what may go wrong with every read. */
export const readProblems = {
  401: problems[401],
  403: problems[403],
  421: problems[421],
  422: problems[422],
  429: problems[429],
  431: problems[431],
  503: problems[503],
} as const;
export const findProblems = { ...readProblems, 404: problems[404], 409: problems[409] } as const;
/** Lists what may go wrong with every write. */
export const writeProblems = {
  ...findProblems,
  408: problems[408],
  413: problems[413],
  415: problems[415],
} as const;

/** For every route but those that are open to everyone. */
export const security: Record<string, string[]>[] = [{ bearer: [] }];

export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { "application/json": { schema } } };
}

/** The body of a request that needs one. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { "application/json": { schema } } } as const;
}

/** An id, or enough of its beginning. */
export const idText = z
  .string()
  .min(6)
  .max(64)
  .regex(/^[0-9a-fA-F-]+$/, { error: "must be digits, the letters a to f, and hyphens" });

export function idParameter(what: string) {
  return z.strictObject({
    id: idText.openapi({
      param: { name: "id", in: "path" },
      description: `The id of ${what}; 6 or more characters of its beginning are enough.`,
      example: "9f3a12b4-5c6d-4e7f-8a9b-0c1d2e3f4a5b",
    }),
  });
}

/** The body of a write that needs no content: `{}`, or nothing. */
export const emptyBody = {
  body: {
    required: false,
    content: { "application/json": { schema: z.strictObject({}).openapi("Empty") } },
  },
} as const;

export const goalParameter = idText.optional().openapi({
  description: "Only of this goal; 6 or more characters of its id are enough.",
  example: "9f3a12b4",
});

export const pageParameters = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(500)
    .default(50)
    .openapi({ description: "How many items, from 1 to 500.", example: 50 }),
  cursor: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .openapi({ description: "`next` of the page before." }),
};

export const orderParameter = z
  .enum(["asc", "desc"])
  .default("desc")
  .openapi({ description: "`desc`: the newest come first." });

export function listOf<Schema extends z.ZodType>(item: Schema, name: string) {
  return z
    .strictObject({
      items: z.array(item),
      next: z.string().nullable().openapi({ description: "The cursor of the next page." }),
    })
    .openapi(name);
}

export type Page<Item> = { items: Item[]; next: string | null };

/**
 * A query parameter that names several things: `type=Report,CodeCommit`. `words`: the names that
 * there are.
 */
export function namesParameter(
  description: string,
  example: string,
  words: readonly string[] = [],
) {
  const one = words.length === 0 ? "[^,]+" : `(?:${words.join("|")})`;
  const error =
    words.length === 0
      ? "must be names with commas between them"
      : `must be of these, with commas between them: ${words.join(", ")}`;
  return z
    .string()
    .max(2_000)
    .regex(new RegExp(`^${one}(?:,${one})*$`), { error })
    .optional()
    .openapi({ description: `${description} Separate several with commas.`, example });
}

export function namesIn(text: string | undefined): string[] {
  return (text ?? "").split(",").flatMap((name) => name.trim() || []);
}

export const Instant = z.iso.datetime();

/** No name of a branch has `:` or `^{`. What they would have git look for may take it hours. */
export const CommitName = z
  .string()
  .min(1)
  .max(250)
  .regex(/^(?:(?!\^\{)[!-9;-~\u0080-\uffff])+$/, {
    error: "must be a hash, a branch, a tag, or such as `HEAD~1`, without blanks, `:` and `^{`",
  })
  .openapi({ example: "HEAD~1", description: "A hash, a branch, a tag, or such as `HEAD~1`." });

// Says what a forge delivers to a webhook of `triggers`, and what it is answered.
import { z } from "@hono/zod-openapi";
import { writeProblems } from "./common.ts";

export const HookAddress = z.strictObject({
  name: z
    .string()
    .max(40)
    .regex(/^[a-z0-9-]+$/)
    .openapi({
      param: { name: "name", in: "path" },
      description: "The trigger's name.",
      example: "pull-request",
    }),
});
const example = {
  object_kind: "push",
  ref: "refs/heads/main",
  before: "95790bf891e76fee5e1747ab589903a6a1f80f22",
  after: "da1560886d4f094c3e6c9ef40349f7d38b5d27d7",
  user_username: "ada",
  project: { path_with_namespace: "acme/door", web_url: "https://gitlab.example.org/acme/door" },
};
export const ForgeEvent = z.looseObject({}).openapi("ForgeEvent", {
  description: "The event, in the form of its forge. The example is a push to GitLab.",
  example,
});

const goal = z.string().openapi({ description: "The goal's id." });
export const Fired = z.strictObject({ outcome: z.literal("fired"), id: goal }).openapi("Fired");
export const Delivered = z
  .discriminatedUnion("outcome", [
    z.strictObject({ outcome: z.literal("repeat"), id: goal }),
    z.strictObject({ outcome: z.literal("skipped"), reason: z.string() }),
    z.strictObject({ outcome: z.literal("ping") }),
  ])
  .openapi("Delivered", {
    description: "It is a repeat, the trigger leaves it out, or the forge tries the address.",
  });

export const deliveryProblems = {
  401: writeProblems[401],
  404: writeProblems[404],
  408: writeProblems[408],
  409: writeProblems[409],
  413: writeProblems[413],
  422: writeProblems[422],
  429: writeProblems[429],
  503: writeProblems[503],
};

// Says what an agent and its model have said.
import { z } from "@hono/zod-openapi";
import { CallRecord } from "../model/model-call.ts";

const Call = z
  .strictObject({ ...CallRecord.shape, request_body: z.unknown(), answer_body: z.unknown() })
  .openapi("Call", {
    description:
      "`request_body` and `answer_body` are as they were sent: JSON where they are JSON, and null where they were not kept.",
  });

const Part = z.union([
  z.strictObject({ kind: z.enum(["text", "reasoning", "other"]), text: z.string() }),
  z.strictObject({ kind: z.literal("call"), id: z.string(), name: z.string(), input: z.string() }),
  z.strictObject({
    kind: z.literal("result"),
    id: z.string(),
    text: z.string(),
    is_error: z.boolean(),
  }),
]);
export type Part = z.infer<typeof Part>;

const Conversation = z.strictObject({
  turns: z.array(
    z.strictObject({ role: z.enum(["system", "user", "assistant", "tool"]), parts: z.array(Part) }),
  ),
  calls: z.array(z.int()).openapi({ description: "Places in `calls`." }),
  is_answered: z.boolean(),
});

export const Transcript = z
  .strictObject({
    artefact_id: z.string(),
    calls: z.array(Call),
    conversations: z.array(Conversation),
  })
  .openapi("Transcript");
export type Transcript = z.infer<typeof Transcript>;

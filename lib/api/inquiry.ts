// Says what waits for a person.
import { z } from "@hono/zod-openapi";
import { amountKinds } from "../model/amounts.ts";
import { Artefact } from "../model/artefact.ts";
import { BudgetScope } from "../model/model-call.ts";
import { ArtefactHead, Overwritten } from "./artefact.ts";
import { Approvals } from "./claim.ts";
import { Instant, listOf } from "./common.ts";

const common = {
  id: z.string(),
  goal_id: z.string(),
  since: Instant,
  overwritten: Overwritten.optional(),
};

const whole = z.int();
const Budget = z
  .strictObject({
    says: z.string().openapi({ description: "A sentence with these figures." }),
    scope: BudgetScope,
    agent: z.string(),
    kind: z.enum(amountKinds),
    ...{ limit: whole, spent: whole, reserved: whole, needed: whole },
    yes_adds: z
      .string()
      .nullable()
      .openapi({ description: "What the answer `yes` adds; null where it adds nothing." }),
  })
  .openapi("BudgetQuestion", {
    description:
      "What the record says of a budget that is used up. An amount, or `yes`, raises it, with the right `budget`.",
  });

export const Question = z
  .strictObject({
    kind: z.literal("question"),
    ...common,
    question: Artefact.meta({ id: "Artefact" }),
    budget: Budget.optional(),
    text: z.string().openapi({ description: "What is asked, in the words of who asks." }),
  })
  .openapi("Question");

const MayApprove = z.array(z.string()).openapi({
  description: "The names of the people whose approval may still count. It comes with `approvals`.",
});

export const Approval = z
  .strictObject({
    kind: z.literal("approval"),
    ...common,
    claim_id: z.string(),
    for: z.string().openapi({ description: "The agent of sett.yml for which a person judges." }),
    artefact: ArtefactHead,
    approvals: Approvals.optional(),
    may_approve: MayApprove.optional(),
    not_counted: z.string().optional().openapi({
      description:
        "A sentence that says why an approval of the caller would not count; missing where it would.",
    }),
    content: z.strictObject({ text: z.string(), whole: z.boolean() }),
  })
  .openapi("Approval", {
    description: "`id` is the artefact to judge. `content` has the beginning of its payload.",
  });

export const Verdict = z
  .strictObject({
    ...ArtefactHead.shape,
    approvals: Approvals.optional(),
    may_approve: MayApprove.optional(),
  })
  .openapi("Verdict", {
    description:
      "The Review. `approvals`: where it waits on, because others have to approve, too; missing where it does not.",
  });

const Inquiry = z.discriminatedUnion("kind", [Question, Approval]);
export type Inquiry = z.infer<typeof Inquiry>;
export const InquiryList = listOf(Inquiry, "InquiryList");
export const QuestionList = listOf(Question, "QuestionList");
export const ApprovalList = listOf(Approval, "ApprovalList");

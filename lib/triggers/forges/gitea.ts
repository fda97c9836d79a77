// Gitea, and Forgejo, which comes of it. Their deliveries have the form of GitHub's, with events
// and actions of their own: services/webhook/notifier.go of Gitea sends them.
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { z } from "zod";
import { actions, type ForgeTraits, noActions } from "../forge.ts";
import { type ForgeEvent, type ForgeReading, readParts } from "../forge-event.ts";
import type { Header } from "../hook.ts";
import { hashing, refused, type SignatureCheck } from "../signature.ts";
import { ofPullRequest, PullRequest, readGithubForm } from "./github.ts";

export const gitea: ForgeTraits = {
  label: "Gitea",
  events: {
    push: noActions,
    tag_push: noActions,
    pull_request: actions(
      // GitHub's word for a new commit counts as well.
      "opened synchronized synchronize closed reopened edited",
      "deleted assigned unassigned label_updated label_cleared milestoned demilestoned " +
        "review_requested review_request_removed",
    ),
    pull_request_approved: actions("reviewed"),
    pull_request_rejected: actions("reviewed"),
    pull_request_comment: actions("reviewed"),
    issues: actions(
      "opened closed reopened edited",
      "deleted assigned unassigned label_updated label_cleared milestoned demilestoned",
    ),
    issue_comment: actions("created edited deleted"),
  },
  commentEvent: "issue_comment",
  mergeEvent: "pull_request",
  checkSignature,
  // Whatever is sent again by hand has a new id.
  idHeaders: [
    { name: "x-gitea-delivery", kept: false },
    { name: "x-forgejo-delivery", kept: false },
    { name: "x-gogs-delivery", kept: false },
  ],
  read: (header, data) => read(firstOf(header, kindHeaders), data),
  document: {
    headers: [
      { name: "X-Gitea-Event", description: "Of Gitea: which event it is, such as `push`." },
      {
        name: "X-Gitea-Delivery",
        description: "Of Gitea: the id of the delivery, new each time that it is sent.",
      },
    ],
    schemes: {
      gitea: { name: "X-Gitea-Signature", description: "Gitea's signature of the body." },
    },
  },
};

const kindHeaders = ["x-gitea-event", "x-forgejo-event", "x-gogs-event"];
const signatureHeaders = ["x-gitea-signature", "x-forgejo-signature", "x-gogs-signature"];

/** Gitea sends an empty signature where a webhook has no secret. */
function firstOf(header: Header, names: readonly string[]): string | undefined {
  return names.map(header).find((value) => value !== undefined && value !== "");
}

function checkSignature(header: Header, secret: string): SignatureCheck {
  const signature = firstOf(header, signatureHeaders);
  if (signature === undefined)
    return refused(
      "There is no X-Gitea-Signature: the webhook needs its secret, as sett.yml names it.",
    );
  if (!/^[0-9a-f]{64}$/.test(signature))
    return refused("X-Gitea-Signature is no signature: it is 64 hexadecimal digits.");
  const wrong = "X-Gitea-Signature does not fit the body and the secret.";
  return hashing(createHmac("sha256", secret), [Buffer.from(signature, "hex")], wrong);
}

const Review = PullRequest.extend({ review: z.object({ content: z.string().nullish() }) });

function read(kind: string | undefined, data: unknown): ForgeReading {
  switch (kind) {
    case "pull_request_approved":
    case "pull_request_rejected":
    case "pull_request_comment":
      return readParts(Review, data, kind, (review) => ofReview(kind, review));
    default:
      return readGithubForm(kind, data, {
        label: "Gitea",
        header: "X-Gitea-Event",
        events: Object.keys(gitea.events).filter((name) => name !== "tag_push"),
      });
  }
}

/** A review is about a pull request, and its text is a comment. */
function ofReview(kind: string, { review, ...request }: z.infer<typeof Review>): ForgeEvent {
  const comment = review.content ?? "";
  const event = ofPullRequest(request);
  const name = `${kind}.${request.action}`;
  const { fields, happened } = event;
  return {
    ...event,
    name,
    happened: [kind, ...happened],
    about: `${name} #${request.pull_request.number}`,
    comment,
    fields: { ...fields, event: name, comment },
  };
}

// The forms in which a notice is posted: Sett's own, those that chats take, and one of sett.yml.
import { type AgentName, CommitHash, type InstanceName } from "../model/ids.ts";
import {
  type HookBody,
  type NoticeField,
  type NoticeTemplate,
  noticePlaceholder,
} from "../model/notify.ts";

/** The content of a notice, as Sett's own body has it. */
export type Sent = {
  type: string;
  instance: InstanceName;
  at: string;
  reminder: number;
  goal: { id: string; summary: string } | undefined;
  artefact: { id: string; type: string; by: string; summary: string; text: string } | undefined;
  approver: AgentName | undefined;
  answer_with: string[] | undefined;
  /** A budget of a day or a month that is used up, or nearly. `text`: a sentence. */
  budget?: { text: string; [name: string]: unknown };
  /** The page, at exactly what waits or has ended; undefined where its address is not known. */
  link: string | undefined;
};

/** `path`: in the place of that of the webhook's address, and of what is behind its `?`. */
export type Posted = { body: string; path?: string };

/** The body to post, the same for the same notice. `url`: the webhook's address. */
export function postedAs(form: HookBody, sent: Sent, url: string): Posted {
  if (form === "sett") return { body: JSON.stringify(sent) };
  if (form === "slack") return { body: JSON.stringify(slackBody(sent)) };
  if (form === "ntfy") return ntfyBody(sent, url);
  return { body: JSON.stringify(filled(form, fieldsOf(sent))) };
}

const verbs: Record<string, string> = {
  "question.asked": "asks",
  "approval.wanted": "waits for approval",
  "goal.achieved": "is achieved",
  "goal.settled": "has settled",
  "goal.failed": "has failed",
  "goal.stalled": "has stalled",
  "goal.cancelled": "was cancelled",
};

/** `coder asks: Which door?`, `CodeCommit of coder waits for approval of ada: Paint the door`. */
function titleOf({ type, artefact, goal, approver, reminder, budget }: Sent): string {
  if (budget !== undefined) return budget.text;
  const does = verbs[type] ?? type;
  const again = reminder > 0 ? "Reminder: " : "";
  if (type === "question.asked") return `${again}${artefact?.by} ${does}: ${artefact?.summary}`;
  if (type === "approval.wanted")
    return `${again}${artefact?.type} of ${artefact?.by} ${does} of ${approver}: ${artefact?.summary}`;
  return `Goal ${does}: ${goal?.summary ?? ""}`;
}

function fieldsOf(sent: Sent): Record<NoticeField, string> {
  const { type, instance, goal, artefact } = sent;
  const { approver = "", answer_with = [], link = "" } = sent;
  return {
    title: titleOf(sent),
    text: textOf(sent),
    link,
    type,
    instance,
    goal: goal?.id ?? "",
    goal_summary: goal?.summary ?? "",
    artefact: artefact?.id ?? "",
    by: artefact?.by ?? "",
    approver,
    command: answer_with[0] ?? "",
  };
}

/** The hash of a commit alone says nothing in a chat. */
function textOf({ goal, artefact, budget }: Sent): string {
  if (CommitHash.safeParse(artefact?.text).success)
    return `Goal: ${goal?.summary ?? ""}\nCommit ${artefact?.text}`;
  return artefact?.text ?? budget?.text ?? goal?.summary ?? "";
}

/** Values are put into texts, so that none can change the shape. */
function filled(template: NoticeTemplate, fields: Record<NoticeField, string>): unknown {
  if (typeof template === "string")
    return template.replace(noticePlaceholder, (_, name: NoticeField) => fields[name] ?? "");
  if (Array.isArray(template)) return template.map((one) => filled(one, fields));
  if (template === null || typeof template !== "object") return template;
  return Object.fromEntries(
    Object.entries(template).map(([name, one]) => [name, filled(one, fields)]),
  );
}

/** Slack takes so many characters in a header, and in a section. */
const maxHeader = 150;
const maxSection = 2_900;

/** The words of agents are plain text, in which nothing is a link or a mention. */
function slackBody(sent: Sent): unknown {
  const { title, text, link, command } = fieldsOf(sent);
  const plain = (words: string, max: number) => ({
    type: "plain_text",
    text: words.trim() === "" ? "–" : shortened(words, max - 1),
  });
  const ways = [
    ...(link === "" ? [] : [`<${escaped(link)}|Open it on the page>`]),
    ...(command === "" ? [] : [`\`${escaped(command)}\``]),
  ];
  return {
    text: escaped(title),
    blocks: [
      { type: "header", text: plain(title, maxHeader) },
      { type: "section", text: plain(text, maxSection) },
      ...(ways.length === 0
        ? []
        : [{ type: "section", text: { type: "mrkdwn", text: ways.join("\n") } }]),
    ],
  };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** ntfy makes a file of what has more than 4096 bytes. */
const maxMessage = 1_000;

/** ntfy takes JSON at its root: the last part of the address is the topic, and needs no escapes. */
function ntfyBody(sent: Sent, url: string): Posted {
  const { title, text, link, type } = fieldsOf(sent);
  const { pathname, search } = new URL(url);
  const parts = pathname.split("/").filter((part) => part !== "");
  const topic = parts.pop() ?? "";
  const isUrgent = type === "question.asked" || type === "approval.wanted";
  const body = {
    ...{ topic, title, message: shortened(text.trim() === "" ? title : text, maxMessage) },
    priority: isUrgent ? 4 : 3,
    ...(link !== "" && { click: link }),
  };
  // What is behind `?` may say who posts: `?auth=…`.
  return { body: JSON.stringify(body), path: `/${parts.join("/")}${search}` };
}

/** One character longer at most: `…` says that something is left out. */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Half of a surrogate pair is no character.
  return `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

// Tells why an artefact is there, by the log and the records that it names: who asked, what led to
// the work, the bids, the grant, the inputs, the calls of models, and what was said of it.
import type { Named, Opinion, Seal, Story, StoryGrant } from "../../core/story.ts";
import { isApproval } from "../../model/approval.ts";
import type { ArtefactHead } from "../../model/artefact.ts";
import { SettError } from "../../model/errors.ts";
import type { SettEvent } from "../../model/event.ts";
import { FactDigest, Registry } from "../../model/fact.ts";
import { ArtefactId, ClaimId, type GoalId } from "../../model/ids.ts";
import { parseJson } from "../../model/json.ts";
import { meaningIn } from "../../model/meaning.ts";
import { bidsOf } from "../../model/recorded-bids.ts";
import { shortId } from "../../words/short-id.ts";
import { firstLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";
import type { KnownArtefacts } from "./artefacts.ts";
import { readReadable } from "./checked.ts";
import type { ReadingBoard } from "./reading-board.ts";
import { reasonIn } from "./report.ts";
import { resolveArtefactId } from "./resolve-id.ts";

/** A story is read from this: an instance, an archive, or a bundle. */
export type StorySource = {
  board: Pick<ReadingBoard, "findArtefacts" | "readHeads" | "readArtefact" | "readFacts">;
  /** All events about the goal of this artefact, the oldest first. */
  eventsAbout(artefact: ArtefactId): Promise<SettEvent[]>;
  /** All artefacts, the oldest first. */
  pages(): AsyncIterable<ArtefactId[]>;
  /** The results of the claim, the oldest first. */
  resultsOf(claim: ClaimId): Promise<ArtefactId[]>;
  /** The seal of an event of this goal; undefined where nothing has sealed it. */
  seal(goal: GoalId, event: string): Promise<Seal | undefined>;
};

const shortestCommit = 7;

/**
 * The artefact that a person means by its id, by the claim that it came of, or by its commit.
 * Throws as `resolveArtefactId`.
 */
export async function findSubject(
  source: StorySource,
  text: string,
  suggest: Suggest,
): Promise<ArtefactId> {
  const { board } = source;
  const word = text.trim().toLowerCase();
  const whole = ArtefactId.safeParse(word).data;
  const [known] = whole === undefined ? [] : await readReadable(board, [whole]);
  if (known !== undefined) return known.id;
  const found =
    whole === undefined
      ? await resolveArtefactId(board, word, suggest).catch(unlessNotFound)
      : await resultOf(source, ClaimId.parse(word));
  const subject = found ?? (await withCommit(source, word));
  if (subject !== undefined) return subject;
  throw new SettError(
    "artefact-not-found",
    `There is no artefact, result of a claim or commit of an agent ${firstLine(text)}.`,
    { hint: `\`${suggest("hoard")}\` lists the artefacts. A claim needs its whole id.` },
  );
}

function unlessNotFound(error: unknown): undefined {
  if (error instanceof SettError && error.code === "artefact-not-found") return undefined;
  throw error;
}

/** A Review only where nothing else has come of it. */
async function resultOf(
  { board, resultsOf }: StorySource,
  claim: ClaimId,
): Promise<ArtefactId | undefined> {
  const results = await readReadable(board, await resultsOf(claim));
  const work = results.filter(({ structural_type }) => structural_type !== "Review");
  return (work.at(-1) ?? results.at(-1))?.id;
}

/** The first artefact with it. A goal's own commit is where its work began. */
async function withCommit(
  { board, pages }: StorySource,
  start: string,
): Promise<ArtefactId | undefined> {
  if (start.length < shortestCommit) return undefined;
  for await (const page of pages())
    for (const { id, goal_id, metadata, structural_type } of await readReadable(board, page)) {
      const isWork = id !== String(goal_id) && structural_type !== "Review";
      if (isWork && metadata.commit?.startsWith(start) === true) return id;
    }
  return undefined;
}

/** Throws `not-found` where the log does not say how the artefact came. */
export async function readStory(
  source: StorySource,
  id: ArtefactId,
  suggest: Suggest,
): Promise<Story> {
  const teller = new Teller(source, await source.eventsAbout(id));
  const made = teller.creationOf(id);
  if (made !== undefined) return await teller.story(id, made);
  throw new SettError("not-found", `The log does not say how ${shortId(id)} came.`, {
    hint: `\`${suggest("doctor")}\` says whether a part of the log is lost.`,
  });
}

class Teller {
  readonly #source: StorySource;
  readonly #events: readonly SettEvent[];
  readonly #created = new Map<string, SettEvent>();
  readonly #known: KnownArtefacts = new Map();

  constructor(source: StorySource, events: readonly SettEvent[]) {
    this.#source = source;
    this.#events = events;
    for (const event of events)
      if (event.type === "artefact_created") this.#created.set(event.artefact_id ?? "", event);
  }

  creationOf(id: ArtefactId): SettEvent | undefined {
    return this.#created.get(id);
  }

  async story(id: ArtefactId, made: SettEvent): Promise<Story> {
    const { claim_id, goal_id } = made;
    const ofClaim = this.#events.filter(
      (one) => claim_id !== undefined && one.claim_id === claim_id,
    );
    const end = ofClaim.find((one) => isEnd(one) && one.artefact_id === id);
    const start = end && ofClaim.findLast((one) => isStartOf(one, end));
    const { inputs = "", inputs_left_out = 0 } = start?.data ?? {};
    const head = await this.#head(id);
    return {
      artefact: {
        ...(await this.#named(id)),
        ...{ at: made.time, commit: head?.metadata.commit ?? null, claim: claim_id ?? null },
      },
      goal: await this.#goal(goal_id ?? ""),
      because: await this.#because(ofClaim),
      bids: bidsIn(ofClaim),
      grant: end === undefined ? null : await this.#grant(end, start, ofClaim),
      inputs: await this.#allNamed(String(inputs).split(" ")),
      inputs_left_out: Number(inputs_left_out),
      calls: callsIn(ofClaim.filter(({ agent }) => agent === end?.agent)),
      reviews: await this.#opinionsOn(id),
      sealed: (goal_id && (await this.#source.seal(goal_id, made.id))) ?? null,
    };
  }

  async #named(id: string): Promise<Named> {
    const { actor, data } = this.#created.get(id) ?? {};
    const head = await this.#head(id);
    const agent = String(data?.agent ?? head?.produced_by_agent ?? "");
    const isOthers = actor === undefined || /^(?:agent|orchestrator):/.test(actor);
    return {
      id,
      type: String(head?.type ?? data?.type ?? "an artefact"),
      version: Number(head?.version ?? data?.version ?? 1),
      by: isOthers && agent !== "" ? `agent:${agent}` : (actor ?? head?.produced_by_role ?? ""),
      summary: firstLine(head?.metadata.summary ?? ""),
    };
  }

  async #allNamed(ids: readonly string[]): Promise<Named[]> {
    return await Promise.all(ids.filter((id) => id !== "").map((id) => this.#named(id)));
  }

  async #head(id: string): Promise<ArtefactHead | undefined> {
    const { data } = ArtefactId.safeParse(id);
    if (data === undefined) return undefined;
    return (await readReadable(this.#source.board, [data], this.#known))[0];
  }

  /** Empty where it is not there any more. */
  async #payload(id: string): Promise<string> {
    const head = await this.#head(id);
    return (head && (await this.#source.board.readArtefact(head.id))?.payload) ?? "";
  }

  async #goal(id: string): Promise<Story["goal"]> {
    const { actor = "", time = "" } = this.#created.get(id) ?? {};
    return { id, text: firstLine(await this.#payload(id)), by: actor, at: time };
  }

  async #because(ofClaim: readonly SettEvent[]): Promise<Story["because"]> {
    const opened = ofClaim.find(({ type }) => type === "claim_opened");
    if (opened === undefined) return { about: null, cause: "", rejections: [], answers: [] };
    const about = await this.#named(opened.artefact_id ?? "");
    const cause = String(opened.data?.cause ?? "");
    const opinions = cause.startsWith("rework:") ? await this.#opinionsOn(about.id) : [];
    const answers = ofClaim.flatMap(({ data }) => {
      const [word, , answer] = String(data?.trigger ?? "").split(" ");
      return word === "answered" && answer !== undefined ? [answer] : [];
    });
    return {
      about,
      cause,
      rejections: opinions.filter(({ approves }) => !approves),
      answers: await this.#allNamed([...new Set(answers)]),
    };
  }

  async #grant(
    end: SettEvent,
    start: SettEvent | undefined,
    ofClaim: readonly SettEvent[],
  ): Promise<StoryGrant> {
    const { agent = "", data = {}, time, actor } = end;
    return {
      ...{ agent, phase: String(data.phase), attempt: Number(data.attempt) },
      ...{ started_at: start?.time ?? null, ended_at: time, run_by: start?.actor ?? actor },
      image: await this.#imageOf(agent, ofClaim),
      base_commit: start?.data?.base_commit === undefined ? null : String(start.data.base_commit),
    };
  }

  async #imageOf(agent: string, ofClaim: readonly SettEvent[]): Promise<string | null> {
    const { data } = ofClaim.find((one) => one.data?.registry !== undefined) ?? {};
    const digest = FactDigest.safeParse(data?.registry).data;
    if (digest === undefined) return null;
    const text = (await this.#source.board.readFacts([digest])).get(digest);
    const agents = Registry.safeParse(parseJson(text)).data ?? [];
    return agents.find(({ name }) => name === agent)?.image || null;
  }

  /** In the order in which they were given. */
  async #opinionsOn(id: string): Promise<Opinion[]> {
    const claims = new Set(
      this.#events
        .filter(({ type, artefact_id }) => type === "claim_opened" && artefact_id === id)
        .map(({ claim_id }) => claim_id),
    );
    const reviews = [...this.#created.values()].filter(
      ({ claim_id, data }) => claims.has(claim_id) && data?.structural_type === "Review",
    );
    return await Promise.all(reviews.map((review) => this.#opinion(review)));
  }

  async #opinion({ artefact_id, time, data }: SettEvent): Promise<Opinion> {
    const id = String(artefact_id);
    const payload = await this.#payload(id);
    const metadata = (await this.#head(id))?.metadata ?? {};
    const { comment } = metadata;
    const approves = isApproval(payload);
    const words = approves ? comment : (reasonIn(payload) ?? payload);
    return {
      ...{ review: id, for: String(data?.agent ?? ""), at: time, approves },
      by: (await this.#named(id)).by,
      words: typeof words === "string" ? firstLine(words) : "",
      meaning: meaningIn(metadata),
    };
  }
}

function isEnd({ type }: SettEvent): boolean {
  return type === "grant_done" || type === "grant_failed" || type === "grant_waiting";
}

function isStartOf({ type, agent, data }: SettEvent, end: SettEvent): boolean {
  return type === "grant_started" && agent === end.agent && data?.attempt === end.data?.attempt;
}

function bidsIn(ofClaim: readonly SettEvent[]): Story["bids"] {
  return ofClaim.flatMap((event) => {
    const { type, agent = "", data } = event;
    if (type === "bid_placed" || type === "bid_imposed")
      return [{ agent, bid: String(data?.word) }];
    if (type !== "bids_placed") return [];
    return bidsOf(event).map((one) => ({ agent: one.agent, bid: one.word }));
  });
}

function callsIn(events: readonly SettEvent[]): Story["calls"] {
  const calls = events.flatMap(({ type, data }) => (type === "model_called" ? [data ?? {}] : []));
  const each = (name: string) => [
    ...new Set(calls.flatMap((data) => (data[name] === undefined ? [] : [String(data[name])]))),
  ];
  return {
    count: calls.length,
    usd: calls.reduce((sum, { usd }) => sum + Number(usd ?? 0), 0),
    unpriced: calls.filter(({ unpriced }) => unpriced === true).length,
    models: each("model"),
    requests: each("request"),
  };
}

// Triggers that state a goal for a new tag. Known tags are on record; the tags that are there at
// the first look state no goal.
import { matchesPattern } from "../../../lib/core/match-pattern.ts";
import type { Tag } from "../../../lib/git/repository/tags.ts";
import type { TagTrigger, TriggerName } from "../../../lib/model/trigger.ts";
import { actorOf, fireFor, type TriggerParts } from "./fire.ts";
import { skip } from "./skip.ts";
import { changesOf, fieldOf, forgottenField, goneAmong, longGone, textOf } from "./tag-record.ts";

/**
 * Tags may come at once, such as by a fetch of another repository's: only the newest state goals.
 */
const maxAtOnce = 10;
/** Redis takes no more arguments at a time. */
const fieldsAtOnce = 1_000;

export class TagWatch {
  readonly #parts: TriggerParts;
  /** Trigger → its record, as this process has read and written it. */
  readonly #known = new Map<TriggerName, Map<string, string>>();

  constructor(parts: TriggerParts) {
    this.#parts = parts;
  }

  /** Looks once at the tags, oldest first. */
  async look(trigger: TagTrigger, tags: readonly Tag[]): Promise<void> {
    const { board, deps } = this.#parts;
    let known = this.#known.get(trigger.name);
    // Another program may have seen a change before this one: what both count must be the same.
    if (known === undefined || hasChanged(known, tags, deps.clock.now()))
      known = await board.readTrigger(trigger.name);
    this.#known.set(trigger.name, known);
    if (!known.has("since")) return await this.#begin(trigger, tags, known);
    await this.#recordAll(trigger, goneAmong(known, tags, deps.clock.now()), known);
    await this.#forgetLongGone(trigger, known);
    const fresh = tags.filter((tag) => changesOf(known, tag) !== undefined);
    const matching = fresh.filter(({ name }) => matchesPattern(trigger.tag, name));
    const surplus = new Set(matching.slice(0, -maxAtOnce));
    for (const tag of fresh) {
      const changes = changesOf(known, tag) ?? 0;
      const mark = { mark: fieldOf(tag.name), value: textOf(tag, changes) };
      const record = { record: { trigger: trigger.name }, ...mark, actor: actorOf(trigger) };
      if (surplus.has(tag)) {
        const reason = `${matching.length} new tags came at once: only the ${maxAtOnce} newest state goals.`;
        await skip(this.#parts, trigger, { cause: `tag ${tag.name}`, reason, mark });
      } else if (matching.includes(tag)) {
        await this.#fire(trigger, tag, changes, deps.clock.now());
        await board.recordTrigger(record);
      } else await board.recordTrigger(record);
      known.set(mark.mark, mark.value);
    }
  }

  /** How often they have changed comes first: a look that was interrupted forgets them again. */
  async #forgetLongGone(trigger: TagTrigger, known: Map<string, string>): Promise<void> {
    const { board, deps } = this.#parts;
    const { fields, changes } = longGone(known, deps.clock.now());
    if (fields.length === 0) return;
    const most = Math.max(changes, Number(known.get(forgottenField) ?? 0));
    await this.#recordAll(trigger, [[forgottenField, String(most)]], known);
    await board.forgetMarks(trigger.name, fields);
    for (const field of fields) known.delete(field);
  }

  async #fire(
    trigger: TagTrigger,
    { name, commit }: Tag,
    changes: number,
    now: Date,
  ): Promise<void> {
    await fireFor(this.#parts, trigger, {
      happened: ["tag", name, commit, ...(changes === 0 ? [] : [String(changes)])],
      cause: `tag ${name}`,
      values: { tag: name, commit, time: now.toISOString() },
      source: "the repository",
      commit,
    });
  }

  /** `since` comes last: a first look that was interrupted is made again. */
  async #begin(
    trigger: TagTrigger,
    tags: readonly Tag[],
    known: Map<string, string>,
  ): Promise<void> {
    const all = tags.map((tag): [string, string] => [fieldOf(tag.name), textOf(tag, 0)]);
    await this.#recordAll(trigger, all, known);
    await this.#recordAll(trigger, [["since", this.#parts.deps.clock.now().toISOString()]], known);
  }

  async #recordAll(
    trigger: TagTrigger,
    all: readonly [field: string, value: string][],
    known: Map<string, string>,
  ) {
    const order = { record: { trigger: trigger.name }, actor: actorOf(trigger) };
    for (let from = 0; from < all.length; from += fieldsAtOnce) {
      const part = all.slice(from, from + fieldsAtOnce);
      const [[mark, value] = ["", ""], ...more] = part;
      await this.#parts.board.recordTrigger({
        ...order,
        mark,
        value,
        fields: Object.fromEntries(more),
      });
      for (const [field, text] of part) known.set(field, text);
    }
  }
}

function hasChanged(known: ReadonlyMap<string, string>, tags: readonly Tag[], now: Date): boolean {
  return (
    goneAmong(known, tags, now).length > 0 ||
    tags.some((tag) => changesOf(known, tag) !== undefined)
  );
}

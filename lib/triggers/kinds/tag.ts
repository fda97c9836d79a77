// Triggers that state a goal for a new tag. The tags that are known are on record; those that are
// there at the first look state no goal.
import { matchesPattern } from "../../core/match-pattern.ts";
import type { TagTrigger, TriggerName } from "../../model/trigger.ts";
import type { KindOfTrigger, Tag, TriggerPort, Watch } from "../kind.ts";
import { changesOf, fieldOf, forgottenField, goneAmong, longGone, textOf } from "../tag-record.ts";

export const tag: KindOfTrigger<TagTrigger> = {
  fields: ["trigger", "time", "tag", "commit"],
  resolve: ({ tag = "" }) => ({ kind: "tag", tag }),
  looksAtNames: true,
  watch: { everyMs: 5_000, start: (port) => new TagWatch(port) },
};

/** When tags come at once, such as by a fetch of another repository's, the newest state goals. */
const maxAtOnce = 10;
/** Redis takes no more arguments at a time. */
const fieldsAtOnce = 1_000;

class TagWatch implements Watch<TagTrigger> {
  readonly #port: TriggerPort;
  /** Trigger → its record, as this process has read and written it. */
  readonly #known = new Map<TriggerName, Map<string, string>>();

  constructor(port: TriggerPort) {
    this.#port = port;
  }

  async look(trigger: TagTrigger): Promise<void> {
    const tags = await this.#port.tags();
    let known = this.#known.get(trigger.name);
    // Another program may have seen a change before this one: what both count must be the same.
    if (known === undefined || hasChanged(known, tags, this.#port.now()))
      known = await this.#port.read(trigger.name);
    this.#known.set(trigger.name, known);
    if (!known.has("since")) return await this.#begin(trigger, tags, known);
    await this.#recordAll(trigger, goneAmong(known, tags, this.#port.now()), known);
    await this.#forgetLongGone(trigger, known);
    const fresh = tags.filter((tag) => changesOf(known, tag) !== undefined);
    const matching = fresh.filter(({ name }) => matchesPattern(trigger.tag, name));
    const surplus = new Set(matching.slice(0, -maxAtOnce));
    for (const tag of fresh) {
      const changes = changesOf(known, tag) ?? 0;
      const mark = { mark: fieldOf(tag.name), value: textOf(tag, changes) };
      if (surplus.has(tag)) {
        const reason = `${matching.length} new tags came at once: only the ${maxAtOnce} newest state goals.`;
        await this.#port.skip(trigger, { cause: `tag ${tag.name}`, reason, mark });
      } else {
        if (matching.includes(tag)) await this.#fire(trigger, tag, changes);
        await this.#port.record(trigger, mark);
      }
      known.set(mark.mark, mark.value);
    }
  }

  /** How often they have changed comes first: a look that was interrupted forgets them again. */
  async #forgetLongGone(trigger: TagTrigger, known: Map<string, string>): Promise<void> {
    const { fields, changes } = longGone(known, this.#port.now());
    if (fields.length === 0) return;
    const most = Math.max(changes, Number(known.get(forgottenField) ?? 0));
    await this.#recordAll(trigger, [[forgottenField, String(most)]], known);
    await this.#port.forget(trigger.name, fields);
    for (const field of fields) known.delete(field);
  }

  async #fire(trigger: TagTrigger, { name, commit }: Tag, changes: number): Promise<void> {
    await this.#port.fire(trigger, {
      happened: ["tag", name, commit, ...(changes === 0 ? [] : [String(changes)])],
      cause: `tag ${name}`,
      values: { tag: name, commit, time: this.#port.now().toISOString() },
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
    await this.#recordAll(trigger, [["since", this.#port.now().toISOString()]], known);
  }

  async #recordAll(
    trigger: TagTrigger,
    all: readonly [field: string, value: string][],
    known: Map<string, string>,
  ): Promise<void> {
    for (let from = 0; from < all.length; from += fieldsAtOnce) {
      const part = all.slice(from, from + fieldsAtOnce);
      const [[mark, value] = ["", ""], ...more] = part;
      await this.#port.record(trigger, { mark, value, fields: Object.fromEntries(more) });
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

// Says what happens next: a heap of events by virtual time. Those of one moment come in the order
// that chance has given them.

export type Queued = { readonly at: number; readonly tie: number };

export class EventQueue<Event extends Queued> {
  readonly #heap: Event[] = [];

  get size(): number {
    return this.#heap.length;
  }

  push(event: Event): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(event);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(event, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = event;
  }

  pop(): Event | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (left === undefined) break;
      if (right !== undefined && isBefore(right, left)) child += 1;
      const least = child % 2 === 1 ? left : (right ?? left);
      if (!isBefore(least, last)) break;
      heap[place] = least;
      place = child;
    }
    heap[place] = last;
    return first;
  }
}

function isBefore(one: Queued, other: Queued): boolean {
  return one.at < other.at || (one.at === other.at && one.tie < other.tie);
}

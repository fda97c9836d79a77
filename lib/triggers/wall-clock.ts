// Says what the clock on a wall of a time zone shows, and when it shows it. A wall's time is a Date
// whose UTC fields are what the clock shows.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** No change of the clocks sets them further, not even of a zone that leaves out a day. */
const maxChangeMs = 24 * hourMs;
/** By more than this no zone sets its clocks back. */
const maxRepeatMs = 3 * hourMs;

export function wallClock(timeZone: string) {
  const format = formatOf(timeZone);
  /** How far the wall is ahead of UTC. */
  const aheadMs = (at: number) => {
    const fields = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
  };
  return {
    shows: (at: Date) => new Date(at.getTime() + aheadMs(at.getTime())),
    /** The least that is shown from now on: less than now where the clock is soon set back. */
    showsAtLeast: (at: Date) =>
      new Date(at.getTime() + Math.min(aheadMs(at.getTime()), aheadMs(at.getTime() + maxRepeatMs))),
    /** The most that was shown up to now: more than now where the clock was just set back. */
    showedAtMost: (at: Date) =>
      new Date(at.getTime() + Math.max(aheadMs(at.getTime()), aheadMs(at.getTime() - maxRepeatMs))),
    /**
     * When the clock shows this, in order: twice where it is set back over it. `leftOut`: the end
     * of the gap, where it never does.
     */
    timesOf(wall: Date): { times: Date[]; leftOut?: Date } {
      const shown = wall.getTime();
      const [before, after] = [aheadMs(shown - maxChangeMs), aheadMs(shown + maxChangeMs)];
      const times = [...new Set([before, after])]
        .filter((ahead) => aheadMs(shown - ahead) === ahead)
        .map((ahead) => shown - ahead);
      if (times.length > 0)
        return { times: times.sort((one, other) => one - other).map((at) => new Date(at)) };
      let [early, late] = [shown - after, shown - before];
      while (late - early > 1) {
        const middle = Math.floor((early + late) / 2);
        if (aheadMs(middle) === before) early = middle;
        else late = middle;
      }
      return { times: [], leftOut: new Date(late) };
    },
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const digits = {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  } as const;
  return new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "iso8601",
    hourCycle: "h23",
    ...digits,
  });
}

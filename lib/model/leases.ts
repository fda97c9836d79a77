// How long a promise holds without being renewed.

/** A running grant's lease, where sett.yml says nothing else; its cub renews it from the loop that does the work. */
export const grantLeaseMs = 15_000;

/** How long the leader lease lasts unless its holder renews it. */
export const leaderLeaseMs = 5_000;

/** An agent that has given no sign of life for so long is called silent: three heartbeats. */
export const silentAfterMs = 10_000;

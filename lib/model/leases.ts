// How long leases last, and when an agent is called silent.

/** The default of a running grant's lease (`limits.lease`); the cub's working loop renews it. */
export const grantLeaseMs = 15_000;

/** How long the leader lease lasts unless its holder renews it. */
export const leaderLeaseMs = 5_000;

/** An agent that has given no sign of life for so long is called silent: three heartbeats. */
export const silentAfterMs = 10_000;

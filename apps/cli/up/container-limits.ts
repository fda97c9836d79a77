// Times and sizes that the containers of an instance have in common.

/** What a cub gives a running tool to end, and what the container gives the cub on top (DESIGN §6). */
export const shutdownSeconds = 30;
export const agentStopSeconds = shutdownSeconds + 10;
export const orchestratorStopSeconds = 15;
export const redisStopSeconds = 30;

export const health = { intervalMs: 5_000, timeoutMs: 5_000, retries: 3, startPeriodMs: 10_000 };
export const mebibyte = 1024 ** 2;

/** How often an agent that follows its grants gets those again that are still queued. */
export const grantReminderMs = 15_000;

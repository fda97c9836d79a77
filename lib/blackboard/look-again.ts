/** How often whoever follows an agent's grants is told again of what stays queued. */
export const lookAgainMs = 15_000;

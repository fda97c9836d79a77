// What kind of actor an event names. Without zod, which is too large for the page.

export function isOrchestrator(actor: string): boolean {
  return actor.startsWith("orchestrator:");
}

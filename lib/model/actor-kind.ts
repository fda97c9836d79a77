// Tells the kinds of actors that events name. It needs no zod, which is too large for the page.

export function isOrchestrator(actor: string): boolean {
  return actor.startsWith("orchestrator:");
}

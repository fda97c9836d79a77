// Describes the cost of a call of a tool for whose server sett.yml has a price.
import { z } from "zod";
import { AgentName, ClaimId } from "./ids.ts";

/** `nanousd`: 1e-9 US dollars. */
export const ToolCharge = z.object({
  claim_id: ClaimId,
  agent: AgentName,
  server: z.string(),
  nanousd: z.int().min(0),
  started_at: z.string(),
});
export type ToolCharge = z.infer<typeof ToolCharge>;

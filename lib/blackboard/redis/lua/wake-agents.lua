-- Wakes the agents that have queued grants: what held their work is over.
-- KEYS orchestrator, agents
-- ARGS epoch: number
-- Result woken | fenced
local function wake_agents(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  require_wakeable(keys.agents)
  wake_queued(keys.agents)
  return { 'woken' }
end

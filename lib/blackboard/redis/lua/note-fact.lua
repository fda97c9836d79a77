-- Stores what decisions are based on, under its digest, by which their events name it.
-- KEYS orchestrator, facts
-- ARGS epoch: number, digest, text
-- Result noted | fenced
local function note_fact(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  redis.call('HSETNX', keys.facts, args.digest, args.text)
  return { 'noted' }
end

-- Forgets why results were refused: a repeat comes within minutes.
-- KEYS orchestrator, refused_artefacts
-- ARGS epoch: number
-- Result forgotten | fenced
local function forget_refused(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  redis.call('UNLINK', keys.refused_artefacts)
  return { 'forgotten' }
end

-- Compares an artefact that the indexes know with its digest. One that was overwritten by hand
-- cannot be restored, but it is refused and logged, once for each content. `unknown`: it is not in
-- the indexes.
-- KEYS orchestrator, artefact, refused_artefacts, digests
-- ARGS epoch: number, id
-- Result known | unknown | fenced | refused (reason)
local function verify_artefact(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local id = args.id
  local digest = redis.call('HGET', keys.digests, id)
  if not digest then return { 'unknown' } end
  local found = digest_of(keys.artefact)
  if found == digest then
    redis.call('HDEL', keys.refused_artefacts, id)
    return { 'known' }
  end
  local before = redis.call('HGET', keys.refused_artefacts, id)
  if before and before:sub(1, #found) == found then return refused(before:sub(#found + 2)) end
  local reason = 'The id ' .. id .. ' is taken, and its artefact was overwritten by hand. Artefacts never change: write a new one under an id of its own.'
  redis.call('HSET', keys.refused_artefacts, id, found .. ' ' .. reason)
  log({ type = 'artefact_refused', actor = 'hand', artefact_id = id, data = object('reason', reason) })
  return refused(reason)
end

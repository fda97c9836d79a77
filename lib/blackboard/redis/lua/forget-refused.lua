-- Forgets the refusals of artefacts that are gone. Looks at about `count` of them, from `cursor`
-- on. Begins and ends with the cursor 0.
-- KEYS orchestrator, refused_artefacts
-- ARGS epoch: number, cursor, count: number
-- Result looked (cursor) | fenced
local function forget_refused(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local page = redis.call('HSCAN', keys.refused_artefacts, args.cursor, 'COUNT', args.count)
  for index = 1, #page[2], 2 do
    local id = page[2][index]
    if redis.call('EXISTS', artefact_key(id)) == 0 then redis.call('HDEL', keys.refused_artefacts, id) end
  end
  return { 'looked', page[1] }
end

-- Notes what the notary has sealed. `before`: the size of the tree that it has noted last.
-- KEYS proof
-- ARGS holder, before: number, size: number, checkpoint, place
-- `place`: of the last event that is sealed.
-- Result noted | moved | fenced
local function note_checkpoint(keys, args)
  if redis.call('HGET', keys.proof, 'holder') ~= args.holder then return { 'fenced' } end
  local size = tonumber(redis.call('HGET', keys.proof, 'size') or '0')
  -- The answer to the first call was lost.
  if size == args.size then return { 'noted' } end
  if size ~= args.before then return { 'moved' } end
  redis.call('HSET', keys.proof, 'size', digits(args.size), 'checkpoint', args.checkpoint,
    'place', args.place)
  return { 'noted' }
end

-- Moves one of the orchestrator's two places in the log: `cursor`, up to which it has decided, or
-- `notice_cursor`, up to which it has notified webhooks; or says what the second leaves behind:
-- `notice_problems`, the webhooks that could not be notified. An empty cursor is forgotten.
-- KEYS orchestrator
-- ARGS epoch: number, field, cursor
-- Result moved | fenced
local function move_cursor(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  if args.cursor == '' then
    redis.call('HDEL', keys.orchestrator, args.field)
  else
    redis.call('HSET', keys.orchestrator, args.field, args.cursor)
  end
  return { 'moved' }
end

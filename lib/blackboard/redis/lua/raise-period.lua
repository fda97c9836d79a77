-- Raises a payer's limits of one day or month, and lets its work begin again.
-- KEYS holds
-- ARGS period, whose, add: amounts, cause, event: event
-- Result raised | already
-- `period`: `day:2026-11-26`. `cause` is what a repeat is known by.
local function raise_period(keys, args)
  local key = spending_key(args.period)
  require_type('hash', key, keys.holds)
  if redis.call('HSETNX', key, 'cause:' .. args.cause, '1') == 0 then return { 'already' } end
  for _, kind in ipairs(amount_kinds) do
    if args.add[kind] > 0 then
      local field = args.whose .. ':added_' .. kind
      redis.call('HINCRBY', key, field, digits(args.add[kind]))
    end
  end
  redis.call('EXPIRE', key, kept_seconds[args.period:match('^%l+')])
  redis.call('HDEL', keys.holds, args.whose)
  append_event(args.event)
  return { 'raised' }
end

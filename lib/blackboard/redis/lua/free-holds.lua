-- Lets new work begin again for payers whose budget has another day or month by now.
-- KEYS holds
-- ARGS all: flag, now
-- Result freed (count)
-- `all`: for a gateway that starts or stops, since its limits may be others. `now` is ISO 8601.
local function free_holds(keys, args)
  local count = 0
  local texts = redis.call('HGETALL', keys.holds)
  for index = 1, #texts, 2 do
    local payer, held = texts[index], cjson.decode(texts[index + 1])
    local period = held.period:match('^%l+')
    if args.all or period_at(period, args.now) ~= held.period then
      redis.call('HDEL', keys.holds, payer)
      log({ type = 'budget_freed', actor = 'gateway',
        data = object('whose', payer, 'period', held.period) })
      count = count + 1
    end
  end
  return { 'freed', digits(count) }
end

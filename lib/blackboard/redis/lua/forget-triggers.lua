-- Removes what is on record of every trigger but these.
-- KEYS triggers
-- ARGS kept: text*
-- Result forgotten (count)
local function forget_triggers(keys, args)
  local kept, count = {}, 0
  for _, name in ipairs(args.kept) do kept[name] = true end
  for _, name in ipairs(redis.call('HKEYS', keys.triggers)) do
    if not kept[name] then
      redis.call('UNLINK', prefix .. 'trigger:' .. name)
      redis.call('HDEL', keys.triggers, name)
      count = count + 1
    end
  end
  return { 'forgotten', digits(count) }
end

-- Removes events from the log and counts them. An entry that is gone without being counted was
-- deleted by hand.
-- KEYS removed_events
-- ARGS ids: text*
-- Result removed (count)
local function remove_events(keys, args)
  local count = 0
  require_type('string', keys.removed_events)
  for _, id in ipairs(args.ids) do count = count + redis.call('XDEL', events_key, id) end
  if count > 0 then redis.call('INCRBY', keys.removed_events, count) end
  return { 'removed', digits(count) }
end

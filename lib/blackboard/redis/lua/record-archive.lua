-- Records a file into which goals were moved, together with the event that says so.
-- KEYS archives
-- ARGS sha256, archive, event: event
-- Result recorded
local function record_archive(keys, args)
  redis.call('HSET', keys.archives, args.sha256, args.archive)
  append_event(args.event)
  return { 'recorded' }
end

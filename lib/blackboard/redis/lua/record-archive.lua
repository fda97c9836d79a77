-- Records a file into which goals were moved, together with the event that says so. Each goal that
-- is still there is marked with what the file has of it.
-- KEYS archives
-- ARGS sha256, archive, goals: text*, marks: text*, event: event
-- Result recorded
local function record_archive(keys, args)
  for _, goal in ipairs(args.goals) do require_type('hash', goal_key(goal)) end
  redis.call('HSET', keys.archives, args.sha256, args.archive)
  for place, goal in ipairs(args.goals) do
    if redis.call('HEXISTS', goal_key(goal), 'retired') == 1 then
      redis.call('HSET', goal_key(goal), 'archived', args.marks[place])
    end
  end
  append_event(args.event)
  return { 'recorded' }
end

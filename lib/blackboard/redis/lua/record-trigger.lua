-- Records what was done about one moment of a trigger: a run, a tag, a goal. `already`: it is on
-- record with this value.
-- KEYS record, triggers
-- ARGS trigger, mark, value, fields: fields, event: event?
-- Result recorded | already
-- `record` is the hash of the trigger, or of a goal; then `trigger` is ''.
local function record_trigger(keys, args)
  if redis.call('HGET', keys.record, args.mark) == args.value then return { 'already' } end
  require_type('hash', keys.triggers)
  redis.call('HSET', keys.record, args.mark, args.value)
  if args.trigger ~= '' then redis.call('HSET', keys.triggers, args.trigger, '1') end
  if args.fields.last >= args.fields.first then
    redis.call('HSET', keys.record, names_and_values(args.fields))
  end
  if args.event then append_event(args.event) end
  return { 'recorded' }
end

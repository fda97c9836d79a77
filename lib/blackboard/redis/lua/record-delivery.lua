-- Records what a webhook was last notified of about a subject.
-- KEYS orchestrator, delivery
-- ARGS epoch: number, hook, delivery
-- Result recorded | fenced
-- `delivery` is JSON.
local function record_delivery(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  redis.call('HSET', keys.delivery, args.hook, args.delivery)
  return { 'recorded' }
end

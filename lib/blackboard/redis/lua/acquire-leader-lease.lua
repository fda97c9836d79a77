-- Acquires or renews the orchestrator's leader lease. While a lease runs, only the process that
-- holds it gets it, or a restart of that process, which has its name and another nonce. It is
-- called every second or two, and so it also notices a clock that was set back.
-- KEYS orchestrator, due
-- ARGS holder, lease_ms: number, restarted: flag, version: text?
-- Result held (epoch, cursor) | taken (holder, expires_in_ms)
-- `restarted`: the holder's process has started anew and needs a new epoch.
local leader_fields = { 'holder', 'epoch', 'expires_at', 'cursor', 'nonce', 'seen_at' }

-- Redis' clock was last seen at `seen`, and shows `now`, which is earlier. What was to come due
-- after `seen` comes due as much later from now; all else comes due within 30 seconds.
local function move_due_back(due, seen, now)
  require_due(due, unpack(due_kinds))
  for _, kind in ipairs(due_kinds) do
    local from = '(' .. digits(now)
    local members = redis.call('ZRANGEBYSCORE', due .. ':' .. kind, from, '+inf', 'WITHSCORES')
    for index = 1, #members, 2 do
      local at = tonumber(members[index + 1])
      local soon = at > seen and at - (seen - now) or math.min(at, now + 30000)
      redis.call('ZADD', due .. ':' .. kind, digits(soon), members[index])
    end
  end
end

local function acquire_leader_lease(keys, args)
  local now = now_ms()
  local leader = read_fields(keys.orchestrator, leader_fields)
  local epoch, expires = tonumber(leader.epoch) or 0, tonumber(leader.expires_at) or 0
  local seen = tonumber(leader.seen_at) or 0
  if now < seen then
    move_due_back(keys.due, seen, now)
    expires = expires - (seen - now)
    redis.call('HSET', keys.orchestrator, 'expires_at', digits(expires), 'seen_at', digits(now))
  end
  local is_namesake = leader.holder == args.holder
  local is_own = is_namesake and leader.nonce == nonce
  if not is_own and not (is_namesake and args.restarted) and expires > now then
    return { 'taken', leader.holder, digits(math.ceil(expires - now)) }
  end

  local is_new, cursor = not is_own or args.restarted, leader.cursor or '0'
  if is_new then epoch = epoch + 1 end
  redis.call('HSET', keys.orchestrator, 'holder', args.holder, 'epoch', digits(epoch),
    'nonce', nonce,
    'expires_at', digits(now + args.lease_ms), 'cursor', cursor, 'seen_at', digits(now))
  if is_new then
    log({ type = 'orchestrator_started', actor = orchestrator_of(epoch),
      data = object('holder', args.holder, 'epoch', epoch, 'version', args.version) })
  end
  return { 'held', digits(epoch), cursor }
end

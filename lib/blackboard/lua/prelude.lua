-- What the scripts share. All of them are loaded as one library of functions, each between `begin` and its end.
--
-- In every script KEYS[1] is the log `events` and ARGV[1] the instance's prefix `sett:{instance}:`, from which the names of keys
-- are made that are known only inside (the artefacts, threads and grants a script is handed), and the channels. ARGV[2], which the
-- headers leave out, is the caller's nonce: no two processes have the same. The further arguments are read one after the other with take(). Nothing is written before everything has been checked: scripts do not
-- roll back. JSON goes through as opaque text, because cjson turns [] into {}.

local KEYS, ARGV, prefix, nonce, position, now

-- Every script begins here: what the one before left in these variables is forgotten.
local function begin(keys, args)
  KEYS, ARGV, prefix, nonce, position, now = keys, args, args[1], args[2], 2, nil
end

local function take()
  position = position + 1
  return ARGV[position]
end

local function take_number()
  return tonumber(take())
end

-- Unix milliseconds: when the script runs. Not the time of its events: a clock that was set back leaves these ahead of it.
local function now_ms()
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return now
end

-- A score for a zset that is ordered by time, from the id of the event that tells of the member: what one millisecond brings keeps
-- its order (the first thousand events of it), and a clock that steps back changes nothing, because the ids of a stream only grow.
local function score_of(event)
  local ms, sequence = event:match('^(%d+)-(%d+)$')
  return string.format('%.0f', ms * 1000 + math.min(sequence, 999))
end

local function member(name, value)
  if not value or value == '' then return '' end
  return ',"' .. name .. '":' .. cjson.encode(value)
end

-- Appends to the log and returns the event's id. Absent ids are empty strings (or false: a claim that was not
-- found); data is JSON text or empty. All but the type is one JSON text: everybody reads the log, and many small fields cost each reader more.
local function log(actor, kind, goal, claim, artefact, agent, data)
  local text = '{"actor":' .. cjson.encode(actor) .. member('goal_id', goal) .. member('claim_id', claim)
    .. member('artefact_id', artefact) .. member('agent', agent)
  if data ~= '' then text = text .. ',"data":' .. data end
  return redis.call('XADD', KEYS[1], '*', 'type', kind, 'event', text .. '}')
end

-- Tells whoever listens that a claim was opened, moved on or ended. Bids and grants at work are told by the log alone.
local function hint_claim(claim)
  redis.call('PUBLISH', prefix .. 'claim_events', claim)
end

-- Redis' clock was last seen at `seen`, and shows `now`, which is earlier. What was still to come due comes as much later from now as it would
-- have; what has been set since, or was due already, comes due soon, whatever it is.
local function turn_back(due, seen, now)
  local members = redis.call('ZRANGEBYSCORE', due, string.format('(%.0f', now), '+inf', 'WITHSCORES')
  for index = 1, #members, 2 do
    local at = tonumber(members[index + 1])
    local soon = at > seen and at - (seen - now) or math.min(at, now + 30000)
    redis.call('ZADD', due, string.format('%.0f', soon), members[index])
  end
end

local function refused(reason)
  return { 'refused', reason }
end

local function is_ended(status)
  return status == 'complete' or status == 'terminated'
end

local function is_goal_ended(goal)
  local flags = redis.call('HMGET', prefix .. 'goal:' .. goal, 'ended', 'retired')
  return (flags[1] or flags[2]) and true or false
end

-- True when another orchestrator has taken the leader lease; key is the hash `orchestrator`. Who holds an epoch is told by the nonce: a Redis that
-- lost its last second gives an epoch out again.
local function is_fenced(key, epoch)
  local leader = redis.call('HMGET', key, 'epoch', 'nonce')
  return leader[1] ~= epoch or leader[2] ~= nonce
end

-- What the scripts share; put before each of them when it is loaded.
--
-- In every script KEYS[1] is the log `events` and ARGV[1] the instance's prefix `sett:{instance}:`, from which the names of keys
-- are made that are known only inside (the artefacts, threads and grants a script is handed), and the channels. The further
-- arguments are read one after the other with take(). Nothing is written before everything has been checked: scripts do not
-- roll back. JSON goes through as opaque text, because cjson turns [] into {}.

local prefix = ARGV[1]
local position = 1

local function take()
  position = position + 1
  return ARGV[position]
end

local function take_number()
  return tonumber(take())
end

-- Unix milliseconds, with a fraction.
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + time[2] / 1000
end

-- A score for what comes last in a zset ordered by time: now, but always after what is there, so that the order of creation
-- also holds within one microsecond and when the clock steps back.
local function score_at_end(key)
  local now = now_ms()
  local last = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]
  if last and tonumber(last) >= now then now = tonumber(last) + 0.001 end
  return string.format('%.3f', now)
end

-- Appends to the log. Absent ids are empty strings; data is JSON text or empty.
local function log(actor, kind, goal, claim, artefact, agent, data)
  local entry = { 'XADD', KEYS[1], '*', 'type', kind, 'actor', actor }
  local count = 7
  local function add(name, value)
    if value and value ~= '' then
      entry[count + 1] = name
      entry[count + 2] = value
      count = count + 2
    end
  end
  add('goal_id', goal)
  add('claim_id', claim)
  add('artefact_id', artefact)
  add('agent', agent)
  add('data', data)
  redis.call(unpack(entry))
end

local function hint_claim(claim)
  redis.call('PUBLISH', prefix .. 'claim_events', claim)
end

local function refused(reason)
  return { 'refused', reason }
end

local function is_ended(status)
  return status == 'complete' or status == 'terminated'
end

local function is_goal_ended(goal)
  return redis.call('HEXISTS', prefix .. 'goal:' .. goal, 'ended') == 1
end

-- True when a newer orchestrator has taken the seat; key is the hash `orchestrator`.
local function is_fenced(key, epoch)
  return redis.call('HGET', key, 'epoch') ~= epoch
end

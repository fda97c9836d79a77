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

-- Unix milliseconds with a fraction: the moment at which the script runs.
local now
local function now_ms()
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + time[2] / 1000
  end
  return now
end

-- A score for a zset that is ordered by time. It counts microseconds, and no two scripts run within one; what one script adds
-- keeps its order too.
local scores = 0
local function score_now()
  scores = scores + 1
  return string.format('%.3f', now_ms() + (scores - 1) * 0.001)
end

-- Appends to the log. Absent ids are empty strings (goal and artefact also false: a claim that was not found); data is JSON
-- text or empty.
local function log(actor, kind, goal, claim, artefact, agent, data)
  local entry = { 'XADD', KEYS[1], '*', 'type', kind, 'actor', actor }
  local count = 7
  if goal and goal ~= '' then entry[count + 1], entry[count + 2], count = 'goal_id', goal, count + 2 end
  if claim ~= '' then entry[count + 1], entry[count + 2], count = 'claim_id', claim, count + 2 end
  if artefact and artefact ~= '' then entry[count + 1], entry[count + 2], count = 'artefact_id', artefact, count + 2 end
  if agent ~= '' then entry[count + 1], entry[count + 2], count = 'agent', agent, count + 2 end
  if data ~= '' then entry[count + 1], entry[count + 2] = 'data', data end
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

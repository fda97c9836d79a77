-- All functions share this. They are loaded as one library (redis/function-library.ts).
--
-- A function gets its keys and its arguments by name: `keys.claim`, `args.agent`. The header of its
-- file lists the names in their order; redis/function-table.ts declares the same names, and a test
-- compares the two. What follows a colon is the kind of an argument: `number`, `flag`, `fields` (of
-- a hash), or a record; `*` marks a list, `?` what may be missing, and an argument without a kind
-- is text. Every function also has the key `events`, the log.
--
-- A function checks everything before it writes: functions do not roll back. It also asks for the
-- type of each key that it writes, where it has not read the key (`require_type`). The small Redis
-- of the tests refuses a function that does not. JSON passes through as opaque text, because cjson
-- turns [] into {}. The other keys that a function needs (of an artefact, a thread, a grant) are
-- made from the instance's prefix.

local events_key, prefix, nonce, words, position, now, open_goals, last_event

-- All functions by their names, for one that does the work of others in the same step.
local functions = {}

-- Each call begins here, and forgets what the one before left in these variables. The first two
-- words are the instance's prefix `sett:{instance}:` and the caller's nonce, which no two processes
-- share.
local function begin(KEYS, ARGV)
  events_key, prefix, nonce, words, position = KEYS[1], ARGV[1], ARGV[2], ARGV, 2
  now, open_goals, last_event = nil, {}, nil
end

-- Refuses the call where a person has put a key of another type in the place of one of these: what
-- was written before would stay, and the rest would be missing.
local function require_type(kind, ...)
  for _, key in ipairs({ ... }) do
    local found = redis.call('TYPE', key).ok
    if found ~= kind and found ~= 'none' then
      error({ err = 'WRONGTYPE The key ' .. key .. ' is a ' .. found .. ' and was a ' .. kind
        .. '. Nothing was written. Put back what was there before, or remove the key.' })
    end
  end
end

-- The log, for a function that writes events.
local function begin_writing(KEYS, ARGV)
  begin(KEYS, ARGV)
  require_type('stream', events_key)
end

-- Reading the arguments, one after the other. The library calls these; a function finds the result
-- in `args`.

local function next_text()
  position = position + 1
  -- An agent chooses the lengths in its call, and Redis must not make records of nothing.
  return words[position] or error('The call ends too early.')
end

local function next_number()
  return tonumber(next_text())
end

local function next_flag()
  return next_text() == '1'
end

-- Most lists are empty; no function changes a list.
local empty_list = {}

-- How many members follow. A caller that says what it likes must not keep Redis counting.
local function next_length(words_of_each)
  local length = next_number()
  if not (length and length >= 0 and length * words_of_each <= #words - position) then
    error('A list is longer than its call.')
  end
  return length
end

local function next_list(next_item)
  local length = next_length(1)
  if length == 0 then return empty_list end
  local list = {}
  for index = 1, length do list[index] = next_item() end
  return list
end

local function next_optional(next_item)
  if next_flag() then return next_item() end
  return nil
end

-- The fields of a hash, only to be written: where their names and values are among the words.
local function next_fields()
  local length = next_length(2) * 2
  local fields = { first = position + 1, last = position + length }
  position = fields.last
  return fields
end

-- The names and values as HSET takes them.
local function names_and_values(fields)
  return unpack(words, fields.first, fields.last)
end

-- The fields of these names in the hash, by name; false where there is none.
local function read_fields(key, names)
  local fields = redis.call('HMGET', key, unpack(names))
  for index = 1, #names do fields[names[index]] = fields[index] end
  return fields
end

local function artefact_key(id)
  return prefix .. 'artifact:' .. id
end

-- The hash of the claims about an artefact: cause → claim.
local function causes_key(artefact)
  return prefix .. 'artifact:' .. artefact .. ':claims'
end

local function claim_key(id)
  return prefix .. 'claim:' .. id
end

local function bids_key(claim)
  return prefix .. 'claim:' .. claim .. ':bids'
end

local function grants_key(claim)
  return prefix .. 'grants:' .. claim
end

local function goal_key(id)
  return prefix .. 'goal:' .. id
end

local function thread_key(id)
  return prefix .. 'thread:' .. id
end

-- A whole number as Redis and JSON write it.
local function digits(number)
  return string.format('%d', number)
end

-- Unix milliseconds: when the function runs. Not the time of its events: a clock that was set back
-- leaves these ahead of it.
local function now_ms()
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return now
end

-- A score for a zset that is ordered by time, from the id of the member's event: what one
-- millisecond brings keeps its order (the first thousand events of it), and a clock that steps back
-- changes nothing, because the ids of a stream only grow.
local function score_of(event_id)
  local ms, sequence = event_id:match('^(%d+)-(%d+)$')
  return digits(ms * 1000 + math.min(sequence, 999))
end

-- A JSON object with these members in this order: name, value, name, value … A member whose value
-- is nil or false is left out.
local function object(...)
  local members, count = { ... }, 0
  for index = 1, select('#', ...), 2 do
    local value = members[index + 1]
    if value then
      if type(value) == 'string' then
        value = cjson.encode(value)
      elseif value == true then
        value = 'true'
      else
        value = digits(value)
      end
      count = count + 1
      members[count] = '"' .. members[index] .. '":' .. value
    end
  end
  return '{' .. table.concat(members, ',', 1, count) .. '}'
end

-- A JSON object that has members, with the `rev` that its claim gets.
local function with_rev(data, rev)
  return data:sub(1, -2) .. ',"rev":' .. digits(rev) .. '}'
end

-- Ids are UUIDs: they need no escapes.
local function id_member(name, id)
  if not id or id == '' then return '' end
  return ',"' .. name .. '":"' .. id .. '"'
end

-- RECORD event type, text
-- Appends an event to the log and returns its id. All but the type is one JSON text: many read the
-- log, and many small fields cost each reader more.
local function append_event(event)
  last_event = redis.call('XADD', events_key, '*', 'type', event.type, 'event', event.text)
  return last_event
end

-- The same for an event whose text is made here: `type`, `actor`, `goal_id`, `claim_id`,
-- `artefact_id`, `agent`, and `data` as JSON. Ids that are nil, false or empty are left out.
local function log(event)
  local agent, data = event.agent, event.data
  local text = '{"actor":' .. cjson.encode(event.actor) .. id_member('goal_id', event.goal_id)
    .. id_member('claim_id', event.claim_id) .. id_member('artefact_id', event.artefact_id)
    .. (agent and agent ~= '' and ',"agent":' .. cjson.encode(agent) or '')
    .. (data and ',"data":' .. data or '') .. '}'
  last_event = redis.call('XADD', events_key, '*', 'type', event.type, 'event', text)
  return last_event
end

-- Each kind of what is due has a key of its own, so that much of one kind is nothing to the others.
local due_kinds = { 'bids', 'announce', 'lease', 'attempt' }
local is_due_kind = { bids = true, announce = true, lease = true, attempt = true }

-- The key of a member. What none of our functions has written is among the deadlines of bids, where
-- it is found and removed.
local function due_key(due, member)
  local kind = member:match('^%l+')
  return due .. ':' .. (is_due_kind[kind] and kind or 'bids')
end

-- The caller is about to write what is due of these kinds.
local function require_due(due, ...)
  for _, kind in ipairs({ ... }) do require_type('zset', due .. ':' .. kind) end
end

-- Publishes that a claim was opened, has moved on or has ended. Of bids and of grants at work only
-- the log has an entry.
local function publish_claim(claim)
  redis.call('PUBLISH', prefix .. 'claim_events', claim)
end

-- Adds to a stream that agents read, of about the newest `kept` entries, and says so on the channel
-- of the same name: agents may not wait by XREAD, which reads a stream as often as one command
-- names it.
local function add_and_ring(stream, kept, ...)
  redis.call('PUBLISH', stream, redis.call('XADD', stream, 'MAXLEN', '~', kept, '*', ...))
end

local function refused(reason)
  return { 'refused', reason }
end

local function is_ended(status)
  return status == 'complete' or status == 'terminated'
end

-- Asked by each part of a function, and read once: a function that ends a goal asks only before.
local function is_goal_ended(goal)
  if open_goals[goal] then return false end
  local flags = redis.call('HMGET', goal_key(goal), 'ended', 'retired')
  if flags[1] or flags[2] then return true end
  open_goals[goal] = true
  return false
end

-- The ids or names in a JSON array of them. They contain no quotes; a pattern also reads an array
-- that was damaged by hand.
local function each_quoted(list)
  return list:gmatch('"([^"]+)"')
end

-- True when another orchestrator has acquired the leader lease; `key` is the hash `orchestrator`.
-- The nonce distinguishes two holders of one epoch: a Redis that lost its last second gives an
-- epoch out again.
local function is_fenced(key, epoch)
  local leader = redis.call('HMGET', key, 'epoch', 'nonce')
  local current_epoch, current_nonce = leader[1], leader[2]
  return tonumber(current_epoch) ~= epoch or current_nonce ~= nonce
end

local function orchestrator_of(epoch)
  return 'orchestrator:' .. digits(epoch)
end

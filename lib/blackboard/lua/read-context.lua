-- The context of a claim's target: breadth first from its sources and the additional artefacts, each replaced by the latest version
-- of its thread, one for each thread. A cited version and its latest one are both followed. Changes nothing.
-- KEYS 1 events
-- ARGV 1 prefix, the target's id, the most steps from it, the most bytes that are handed over here, n, the n ids to begin with, m, the m ids
--      to hand over as they are
-- Result 'whole', then for each artefact 14 words: how many steps away it was met ('' for one that is only handed over), the 13 fields; or,
--        where their payloads and metadata have more bytes, 'heads', then for each artefact 4 words: the steps, its id, its type, the bytes.
--        What does not exist, or is not complete, is left out.
local target, most_steps, most_bytes = take(), take_number(), take_number()
local known, seen, met, chosen, total = {}, { [target] = true }, {}, {}, 0
local names = {}
for _, name in ipairs(artefact_fields) do
  if name ~= 'payload' and name ~= 'metadata' then names[#names + 1] = name end
end

local function is_complete(key, values)
  for index = 1, #names do
    if not values[index] then return false end
  end
  return redis.call('HEXISTS', key, 'payload') == 1 and redis.call('HEXISTS', key, 'metadata') == 1
end

local function read(id)
  if known[id] == nil then
    local key = prefix .. 'artifact:' .. id
    local values = redis.call('HMGET', key, unpack(names))
    known[id] = is_complete(key, values) and {
      id = values[1],
      thread = values[2],
      type = values[5],
      sources = values[6],
      bytes = redis.call('HSTRLEN', key, 'payload') + redis.call('HSTRLEN', key, 'metadata'),
    }
  end
  return known[id]
end

local function hand_over(steps, artefact)
  chosen[#chosen + 1] = { steps, artefact }
  total = total + artefact.bytes
end

local function want(list, id)
  if not seen[id] then
    seen[id] = true
    list[#list + 1] = id
  end
end

local wanted = {}
for _ = 1, take_number() do want(wanted, take()) end
for steps = 1, most_steps do
  local sources = {}
  for _, id in ipairs(wanted) do
    local cited = read(id)
    if cited then
      local newest = redis.call('ZRANGE', prefix .. 'thread:' .. cited.thread, -1, -1)[1]
      local latest = newest and newest ~= id and read(newest) or cited
      seen[latest.id] = true
      if latest.id ~= target and not met[latest.thread] then
        met[latest.thread] = latest.id
        hand_over(tostring(steps), latest)
      end
      sources[#sources + 1] = latest.sources
      if latest ~= cited then sources[#sources + 1] = cited.sources end
    end
  end
  wanted = {}
  for _, text in ipairs(sources) do
    for id in text:gmatch('"([^"]+)"') do want(wanted, id) end
  end
  if #wanted == 0 then break end
end
for _ = 1, take_number() do
  local artefact = read(take())
  if artefact and met[artefact.thread] ~= artefact.id then hand_over('', artefact) end
end

local reply = { total <= most_bytes and 'whole' or 'heads' }
for _, one in ipairs(chosen) do
  local steps, artefact = one[1], one[2]
  reply[#reply + 1] = steps
  if total <= most_bytes then
    local values = redis.call('HMGET', prefix .. 'artifact:' .. artefact.id, unpack(artefact_fields))
    for index = 1, #artefact_fields do reply[#reply + 1] = values[index] end
  else
    reply[#reply + 1] = artefact.id
    reply[#reply + 1] = artefact.type
    reply[#reply + 1] = string.format('%d', artefact.bytes)
  end
end
return reply

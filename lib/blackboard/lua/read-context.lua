-- The context of a claim's target: breadth first from its sources and the additional artefacts, each replaced by the latest version
-- of its thread, one for each thread. A cited version and its latest one are both followed. Changes nothing.
-- KEYS 1 events
-- ARGV 1 prefix, the target's id, the most steps from it, n, the n ids to begin with, m, the m ids to hand over as they are
-- Result for each artefact 14 words: how many steps away it was met ('' for one that is only handed over), the 13 fields. What
--        does not exist, or is not complete, is left out.
local target, most_steps = take(), take_number()
local known, seen, met, reply = {}, { [target] = true }, {}, {}

local function read(id)
  if known[id] == nil then
    local values = redis.call('HMGET', prefix .. 'artifact:' .. id, unpack(artefact_fields))
    for index = 1, #artefact_fields do
      if not values[index] then
        values = false
        break
      end
    end
    known[id] = values
  end
  return known[id]
end

local function hand_over(steps, values)
  reply[#reply + 1] = steps
  for index = 1, #artefact_fields do reply[#reply + 1] = values[index] end
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
      local newest = redis.call('ZRANGE', prefix .. 'thread:' .. cited[2], -1, -1)[1]
      local latest = newest and newest ~= id and read(newest) or cited
      seen[latest[1]] = true
      if latest[1] ~= target and not met[latest[2]] then
        met[latest[2]] = latest[1]
        hand_over(tostring(steps), latest)
      end
      sources[#sources + 1] = latest[7]
      if latest ~= cited then sources[#sources + 1] = cited[7] end
    end
  end
  wanted = {}
  for _, text in ipairs(sources) do
    for id in text:gmatch('"([^"]+)"') do want(wanted, id) end
  end
  if #wanted == 0 then break end
end
for _ = 1, take_number() do
  local values = read(take())
  if values and met[values[2]] ~= values[1] then hand_over('', values) end
end
return reply

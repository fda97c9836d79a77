-- Artefacts without their payloads, of which only the size is told, and the beginning where there is no summary. Changes nothing.
-- KEYS 1 events
-- ARGV 1 prefix, the most bytes of a beginning, the most bytes of a payload that is looked into, n, the n ids
-- Result for each artefact that is complete 15 words: its place among the ids, the 12 fields but the payload, the payload's size in bytes,
--        the payload's beginning ('' where metadata has a summary, or where the payload is too large to be looked into)
local longest, largest = take_number(), take_number()
local names = {}
for _, name in ipairs(artefact_fields) do
  if name ~= 'payload' then names[#names + 1] = name end
end

local function is_complete(key, values)
  for index = 1, #names do
    if not values[index] then return false end
  end
  return redis.call('HEXISTS', key, 'payload') == 1
end

local reply = {}
for place = 1, take_number() do
  local key = prefix .. 'artifact:' .. take()
  local values = redis.call('HMGET', key, unpack(names))
  if is_complete(key, values) then
    local size, beginning = redis.call('HSTRLEN', key, 'payload'), ''
    local has_summary = values[#names]:find('"summary"%s*:%s*"%s*[^"%s]')
    if not has_summary and size <= largest then beginning = redis.call('HGET', key, 'payload'):sub(1, longest) end
    reply[#reply + 1] = tostring(place)
    for index = 1, #names do reply[#reply + 1] = values[index] end
    reply[#reply + 1] = string.format('%d', size)
    reply[#reply + 1] = beginning
  end
end
return reply

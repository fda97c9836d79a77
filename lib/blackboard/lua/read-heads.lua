-- Artefacts without their payloads: instead each payload's size, and its beginning where there is no summary. Changes nothing.
-- KEYS none
-- ARGS beginning_bytes: number, max_inspected_bytes: number, ids: text*
-- Result for each artefact that is complete 15 words: its place among the ids, the 12 fields but the payload, the payload's size in bytes,
--        the payload's beginning ('' where metadata has a summary, or where the payload has more bytes than are inspected)

local function beginning_of(key, metadata, size, args)
  local has_summary = metadata:find('"summary"%s*:%s*"%s*[^"%s]')
  if has_summary or size > args.max_inspected_bytes then return '' end
  return redis.call('HGET', key, 'payload'):sub(1, args.beginning_bytes)
end

local function is_complete(key, head)
  for _, name in ipairs(head_fields) do
    if not head[name] then return false end
  end
  return redis.call('HEXISTS', key, 'payload') == 1
end

local function read_heads(_, args)
  local reply = {}
  for place, id in ipairs(args.ids) do
    local key = artefact_key(id)
    local head = read_fields(key, head_fields)
    if is_complete(key, head) then
      local size = redis.call('HSTRLEN', key, 'payload')
      reply[#reply + 1] = digits(place)
      for _, name in ipairs(head_fields) do reply[#reply + 1] = head[name] end
      reply[#reply + 1] = digits(size)
      reply[#reply + 1] = beginning_of(key, head.metadata, size, args)
    end
  end
  return reply
end

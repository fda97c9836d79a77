-- Artefacts without their payloads: instead each payload's size, and its beginning where there is no summary. Changes nothing.
-- KEYS none
-- ARGS beginning_bytes: number, max_inspected_bytes: number, ids: text*
-- Result for each artefact that is complete 15 words: its place among the ids, the 12 fields but the payload, the payload's size in bytes,
--        the payload's beginning ('' where metadata has a summary, or where the payload has more bytes than are inspected)

-- Agents call this function as well, with numbers of their own.
local max_ids, max_inspected_bytes, max_reply_bytes = 1000, 1024 ^ 2, 256 * 1024 ^ 2

local function beginning_of(key, metadata, size, args)
  local has_summary = metadata:find('"summary"%s*:%s*"%s*[^"%s]')
  if has_summary or size > math.min(args.max_inspected_bytes, max_inspected_bytes) then return '' end
  return redis.call('HGET', key, 'payload'):sub(1, args.beginning_bytes)
end

local function is_complete(key, head)
  for _, name in ipairs(head_fields) do
    if not head[name] then return false end
  end
  return redis.call('HEXISTS', key, 'payload') == 1
end

local function read_heads(_, args)
  local reply, bytes = {}, 0
  if #args.ids > max_ids then error('These are too many artefacts at once.') end
  for place, id in ipairs(args.ids) do
    local key = artefact_key(id)
    local head = read_fields(key, head_fields)
    if is_complete(key, head) then
      local size = redis.call('HSTRLEN', key, 'payload')
      bytes = bytes + #head.metadata + #head.source_artefacts
      if bytes > max_reply_bytes then error('The heads of these artefacts are too large at once.') end
      reply[#reply + 1] = digits(place)
      for _, name in ipairs(head_fields) do reply[#reply + 1] = head[name] end
      reply[#reply + 1] = digits(size)
      reply[#reply + 1] = beginning_of(key, head.metadata, size, args)
    end
  end
  return reply
end

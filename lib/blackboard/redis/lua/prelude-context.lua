-- Artefacts as lists and contexts read them, for the functions that do so.

-- Agents call these functions, with ids and numbers of their own choice, and Redis serves no other
-- client meanwhile. So one call reads no more artefacts than these, stops once their fields have so
-- many bytes, and copies no more bytes of large payloads. A larger context is read in pieces, by
-- lib/blackboard/redis/walk-context.ts.
local most_artefacts, most_bytes, most_payload_bytes = 1000, 4 * 1024 ^ 2, 256 * 1024

-- How much a call has read so far.
local function nothing_read()
  return { artefacts = 0, bytes = 0 }
end

local function is_too_much(read)
  return read.artefacts >= most_artefacts or read.bytes >= most_bytes
end

-- The length of a field; false where a person has put a key of another type in the place of the
-- hash: nothing can be read of it. A user who may not read the key is refused as by any other call.
local function length_in_hash(key, field)
  local length = redis.pcall('HSTRLEN', key, field)
  if type(length) == 'number' then return length end
  if not length.err:find('^WRONGTYPE') then error(length) end
  return false
end

-- The artefact's fields, without a large payload but with its beginning; with `at`, the id under
-- which it is stored, `payload_bytes`, and `bytes`, which its payload and metadata have together.
-- False where it is not complete. Counts in `read`.
local function read_head(id, read)
  local key = artefact_key(id)
  local payload_bytes = length_in_hash(key, 'payload')
  if not payload_bytes then return false end
  local names = payload_bytes <= small_payload and artefact_fields or large_artefact_fields
  local head = read_fields(key, names)
  read.artefacts = read.artefacts + 1
  for index = 1, #names do read.bytes = read.bytes + #(head[names[index]] or '') end
  for _, name in ipairs(head_fields) do
    if not head[name] then return false end
  end
  if payload_bytes == 0 and not head.payload then return false end
  head.at, head.payload_bytes, head.bytes = id, payload_bytes, payload_bytes + #head.metadata
  return head
end

local function add_new(list, seen, id)
  if not seen[id] then
    seen[id] = true
    list[#list + 1] = id
  end
end

-- Breadth first from `begin_with`, each of the target's goal replaced by the latest version of its
-- thread, one for each thread; then those of `additional` that were not among them. A list of
-- `steps` from the target ('' for one that is only additional) with `head`, and how many bytes they
-- have; nil where the call has read too much before it is found.
local function collect_context(target, max_steps, begin_with, additional)
  local known, seen, met, chosen, is_chosen, total = {}, { [target] = true }, {}, {}, {}, 0
  local read, is_followed = nothing_read(), {}
  local function head_of(id)
    if known[id] == nil then known[id] = not is_too_much(read) and read_head(id, read) end
    return known[id]
  end
  local function follow(sources, head)
    if not is_followed[head.at] then sources[#sources + 1] = head.source_artefacts end
    is_followed[head.at] = true
  end
  local function choose(steps, head)
    chosen[#chosen + 1] = { steps = steps, head = head }
    is_chosen[head.at] = true
    total = total + head.bytes
  end

  local own = redis.call('HGET', artefact_key(target), 'goal_id')
  local wanted = {}
  for _, id in ipairs(begin_with) do add_new(wanted, seen, id) end
  for steps = 1, max_steps do
    local sources = {}
    for _, id in ipairs(wanted) do
      local cited = head_of(id)
      if cited then
        -- What another goal has made is taken as it was cited: that goal may go on.
        local is_own = not own or cited.goal_id == own
        local newest = is_own and last_of_thread(cited.logical_id) or ''
        local latest = newest ~= '' and newest ~= id and head_of(newest) or cited
        seen[latest.at] = true
        if latest.at ~= target and not met[latest.logical_id] then
          met[latest.logical_id] = true
          choose(digits(steps), latest)
        end
        follow(sources, latest)
        follow(sources, cited)
      end
    end
    wanted = {}
    for _, list in ipairs(sources) do
      for id in each_quoted(list) do add_new(wanted, seen, id) end
    end
    if #wanted == 0 then break end
  end
  for _, id in ipairs(additional) do
    local head = head_of(id)
    if head and not is_chosen[head.at] then choose('', head) end
  end
  if is_too_much(read) then return nil end
  return chosen, total
end

-- Adds the 13 fields of a complete artefact to the reply, as they are stored: a person may have
-- damaged them.
local function add_fields(reply, head)
  for _, name in ipairs(artefact_fields) do
    reply[#reply + 1] = head[name] or redis.call('HGET', artefact_key(head.at), name)
  end
end

-- Adds 15 words for each: the steps, the id under which it is stored, its fields.
local function add_whole(reply, chosen)
  for _, one in ipairs(chosen) do
    reply[#reply + 1] = one.steps
    reply[#reply + 1] = one.head.at
    add_fields(reply, one.head)
  end
end

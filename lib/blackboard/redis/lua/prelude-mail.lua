-- The mail of agents: a message is removed, and answered, in the step that applies it.

-- RECORD applied_mail place, id, is_quiet: flag

-- Answers are read at once, or asked for again: older ones may go.
local kept_answers = 1000

local function answer_to(agent, id, text)
  add_and_ring(prefix .. 'agent:' .. agent .. ':in', kept_answers, 're', id, 'text', text)
end

local function remove_mail(agent, place)
  redis.call('XDEL', prefix .. 'agent:' .. agent .. ':out', place)
end

-- Whether one place in a stream is later than another. Their numbers are larger than Lua can count
-- exactly.
local function is_later(place, than)
  local ms, sequence = place:match('^(%d+)%-(%d+)$')
  local than_ms, than_sequence = than:match('^(%d+)%-(%d+)$')
  if ms == than_ms then ms, than_ms = sequence, than_sequence end
  if #ms ~= #than_ms then return #ms > #than_ms end
  return ms > than_ms
end

-- How far the mail of each registered agent goes: its name, the place of its last message …
local function last_places(agents)
  local places = {}
  for _, agent in ipairs(redis.call('HKEYS', agents)) do
    local mail = prefix .. 'agent:' .. agent .. ':out'
    local last = redis.call('XREVRANGE', mail, '+', '-', 'COUNT', 1)[1]
    if last then
      places[#places + 1] = agent
      places[#places + 1] = last[1]
    end
  end
  return places
end

-- Whether an agent has sent the message before a pause, when `last` was the last place in its mail.
-- It chooses the ids in its stream itself, but none that comes before what was there.
local function came_before(last, mail)
  return last and mail and not is_later(mail.place, last)
end

-- The mailboxes of an agent, of which a message is removed and answered.
local function require_mail(agent)
  local of_agent = prefix .. 'agent:' .. agent
  require_type('stream', of_agent .. ':out', of_agent .. ':in')
end

-- Nothing for what no message has asked. Of a quiet one only a refusal is answered.
local function end_mail(agent, mail)
  if not mail then return end
  remove_mail(agent, mail.place)
  if not mail.is_quiet then answer_to(agent, mail.id, '{"outcome":"yes"}') end
end

-- The mail of agents: a message is removed, and answered, in the step that applies it.

-- RECORD applied_mail place, id, is_quiet: flag

-- Answers are read at once, or asked for again: older ones may go.
local kept_answers = 1000

local function answer_to(agent, id, text)
  redis.call('XADD', prefix .. 'agent:' .. agent .. ':in', 'MAXLEN', '~', kept_answers, '*', 're', id, 'text', text)
end

local function remove_mail(agent, place)
  redis.call('XDEL', prefix .. 'agent:' .. agent .. ':out', place)
end

-- Nothing for what no message has asked. Of a quiet one only a refusal is answered.
local function end_mail(agent, mail)
  if not mail then return end
  remove_mail(agent, mail.place)
  if not mail.is_quiet then answer_to(agent, mail.id, '{"outcome":"yes"}') end
end

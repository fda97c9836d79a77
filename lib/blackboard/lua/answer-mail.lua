-- Ends a message of an agent: removes it, and answers it where there is something to say, in one step. It makes room, so that a full Redis
-- does it as well.
-- KEYS mail, answers
-- ARGS place, id, text: text?, kept: number
-- Result answered
local function answer_mail(keys, args)
  if args.text then redis.call('XADD', keys.answers, 'MAXLEN', '~', args.kept, '*', 're', args.id, 'text', args.text) end
  redis.call('XDEL', keys.mail, args.place)
  return { 'answered' }
end

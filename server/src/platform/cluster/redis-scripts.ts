// Lua scripts for operations that must be atomic in Redis. The rate window is that of sliding-window.ts; the contract
// suite checks both.

import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { slotsPerWindow } from './cluster.ts';

type Script = { readonly text: string; readonly sha1: string };

const toScript = (text: string): Script => ({ text, sha1: createHash('sha1').update(text).digest('hex') });

// One string per key: "last:count" pairs, oldest first. Returns {calls before this one, time of the oldest slot}. The
// callers' clock decides about the window; Redis' clock only expires unused keys.
export const rateScript = toScript(`
local limit, window, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local slotMs = math.max(1, math.floor(window / ${slotsPerWindow}))
local slots, before = {}, 0
for last, count in string.gmatch(redis.call('GET', KEYS[1]) or '', '(%d+):(%d+)') do
  last, count = tonumber(last), tonumber(count)
  if last > now - window and last <= now + window then
    slots[#slots + 1] = {last, count}
    before = before + count
  end
end
if before < limit then
  local newest = slots[#slots]
  if newest and math.floor(now / slotMs) <= math.floor(newest[1] / slotMs) then
    newest[1] = math.max(newest[1], now)
    newest[2] = newest[2] + 1
  else
    slots[#slots + 1] = {now, 1}
  end
  local parts = {}
  for i, slot in ipairs(slots) do parts[i] = string.format('%.0f:%.0f', slot[1], slot[2]) end
  redis.call('SET', KEYS[1], table.concat(parts, ' '), 'PX', window)
end
return {before, string.format('%.0f', slots[1][1])}
`);

/** Removes one call from the newest slot, see `uncount`. */
export const uncountScript = toScript(`
local rest, last, count = string.match(redis.call('GET', KEYS[1]) or '', '^(.-) ?(%d+):(%d+)$')
if not last then return 0 end
if tonumber(count) > 1 then
  local newest = string.format('%s:%.0f', last, count - 1)
  redis.call('SET', KEYS[1], rest == '' and newest or rest .. ' ' .. newest, 'KEEPTTL')
elseif rest == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], rest, 'KEEPTTL')
end
return 1
`);

/** Runs a script by its digest, or by its text if Redis does not know it yet or has restarted. */
export const evalScript = async (redis: Redis, script: Script, keys: string[], args: string[]): Promise<unknown> => {
  try {
    return await redis.evalsha(script.sha1, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return await redis.eval(script.text, keys.length, ...keys, ...args);
  }
};

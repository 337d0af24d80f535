// A normal client in a process of its own, so that only the server and the machine affect its latency: one call after
// the other on one connection. Arguments: address, token, seconds. Prints the duration of each call, in ms.
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [url = '', token = '', seconds] = process.argv.slice(2);
const pauseMs = 10;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function ask(): Promise<number> {
  const begin = performance.now();
  const request = get(url, { agent, headers: { authorization: `Bearer ${token}` } });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  await once(answer.resume(), 'end');
  if (answer.statusCode !== 200) throw new Error(`a normal client was answered ${answer.statusCode}`);
  return performance.now() - begin;
}

const took: number[] = [];
const end = performance.now() + Number(seconds) * 1000;
for (let calls = 0; performance.now() < end; calls += 1) {
  const ms = await ask();
  if (calls > 0) took.push(ms); // the first one connects
  await sleep(pauseMs);
}
agent.destroy();
console.log(JSON.stringify(took));

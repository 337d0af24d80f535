// Benchmark of thousands of event streams on one server process: memory per stream, delivery time of a broadcast and of
// a message to one account, against a bare loop that writes framed bytes to as many sockets, and the time in which all
// clients reconnect at once. Run: npm run bench events, or node test/bench/events.ts [streams] [rounds] [messages]
// [engine]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { canMeasure, inTurns, printFigures, quantile } from '../support/bench-figures.ts';
import { type Child, startChild } from '../support/child.ts';
import type { BenchClientsAnswer, BenchClientsOrder } from '../support/children/event-bench-clients.ts';
import type { BenchServerMessage, BenchServerOrder, BenchServerReady } from '../support/children/event-bench-server.ts';
import { residentOf } from '../support/large-proof.ts';
import { postgres, postgresPrograms, stopPostgres } from '../support/postgres.ts';

const [streams = 10_000, rounds = 9, messages = 500] = process.argv.slice(2, 5).map(Number);
const engine = process.argv[5] ?? 'sqlite';
if (engine === 'postgres' && !canMeasure('PostgreSQL', ...postgresPrograms)) process.exit();
const streamsEach = 5;
const missedEvents = 20;
const folder = mkdtempSync(join(tmpdir(), 'recordproof-bench-'));
const env = {
  ...(engine === 'postgres' && { DATABASE_URL: (await (await postgres()).freshDatabase()).url }),
  RECORDPROOF_DATA: folder,
  RECORDPROOF_PORT: '0',
  RECORDPROOF_RATE_LIMIT_OTHER: '1000000',
  EVENTS_MAX_STREAMS: String(streams),
};

type Side = { readonly server: Child; readonly clients: Child; readonly tokens: readonly string[] };

async function ask(child: Child, order: BenchServerOrder | BenchClientsOrder): Promise<unknown> {
  child.send(JSON.stringify(order));
  return await Promise.race([
    child.next(),
    sleep(120_000, undefined, { ref: false }).then(() => {
      throw new Error(`no answer to ${JSON.stringify(order).slice(0, 200)}: something was lost`);
    }),
  ]);
}

async function openSide(script: string, input: unknown): Promise<Side> {
  const server = startChild(script, input);
  const { url, tokens } = (await server.next()) as BenchServerReady;
  const clients = startChild('event-bench-clients.ts', null);
  await ask(clients, { kind: 'begin', url, tokens, streams });
  return { server, clients, tokens };
}

async function openStreams({ clients }: Side): Promise<number> {
  const answer = (await ask(clients, { kind: 'open' })) as BenchClientsAnswer & { kind: 'opened' };
  if (answer.failed > 0) throw new Error(`${answer.failed} streams were not opened`);
  return answer.seconds;
}

let count = 0;
const newTitle = (): string => `event ${++count}`;

/**
 * Milliseconds from the order until each listener had the event. Throws when one had it twice, or one had it that must
 * not.
 */
async function send(side: Side, account?: number): Promise<number[]> {
  const title = newTitle();
  const told = (await ask(side.server, { title, ...(account !== undefined && { account }) })) as BenchServerMessage;
  const order = { kind: 'await', titles: [title], ...(account !== undefined && { token: account }) } as const;
  const { at, strange } = (await ask(side.clients, order)) as BenchClientsAnswer & { kind: 'arrived' };
  if (strange > 0) throw new Error(`${strange} messages came twice or to the wrong listener`);
  return (at[0] ?? []).map(time => Number(BigInt(time) - BigInt(told.at)) / 1e6);
}

async function measureBroadcasts(ours: Side, bare: Side): Promise<void> {
  const p99 = (side: Side) => async () => quantile(await send(side), 0.99);
  await inTurns(2, { bare: p99(bare), ours: p99(ours) }); // warm-up
  const measured = await inTurns(rounds, { bare: p99(bare), ours: p99(ours) });
  const references = { 'bare loop over framed sockets': measured.bare };
  printFigures(`a broadcast to ${streams}`, [
    { name: 'until 99 % have it', unit: 'ms', samples: measured.ours, references, note: '(<= 1.3)' },
  ]);
}

async function measureTargeted(ours: Side): Promise<void> {
  const latencies: number[] = [];
  for (let message = 0; message < messages; message += 1)
    latencies.push(...(await send(ours, (message * 7) % ours.tokens.length)));
  printFigures(`messages to one of ${streams} each, from the transaction to the listener`, [
    { name: 'each message', unit: 'ms', samples: latencies },
    { name: '99th percentile', unit: 'ms', samples: quantile(latencies, 0.99), note: '(<= 20)' },
  ]);
}

/** All clients disconnect, miss events, and reconnect at once; two more events are sent meanwhile. */
async function measureStorm(side: Side): Promise<void> {
  await ask(side.clients, { kind: 'close' });
  await sleep(2000);
  const missed = Array.from({ length: missedEvents }, newTitle);
  for (const title of missed) await ask(side.server, { title });
  const started = performance.now();
  const opening = openStreams(side);
  const during = [newTitle(), newTitle()];
  for (const title of during) {
    await sleep(300);
    await ask(side.server, { title });
  }
  const opened = await opening;
  const order = { kind: 'await', titles: [...missed, ...during] } as const;
  const { strange } = (await ask(side.clients, order)) as BenchClientsAnswer & { kind: 'arrived' };
  const seconds = (performance.now() - started) / 1000;
  printFigures(`${streams} come back at once, behind ${missedEvents} events they missed and 2 that happen meanwhile`, [
    { name: 'all connected', unit: 's', samples: opened },
    { name: 'all have everything', unit: 's', samples: seconds, note: `(<= 8), ${strange} doubled` },
  ]);
}

try {
  const ours = await openSide('event-bench-server.ts', { env, accounts: Math.ceil(streams / streamsEach) });
  const bare = await openSide('bare-streams.ts', null);
  const pids = { ours: ours.server.pid, bare: bare.server.pid };
  const before = { ours: residentOf(pids.ours), bare: residentOf(pids.bare) };
  const seconds = { bare: await openStreams(bare), ours: await openStreams(ours) };
  await sleep(5000);
  const each = (side: 'ours' | 'bare') => ((residentOf(pids[side]) - before[side]) * 1024) / streams;
  printFigures(`${streams} streams over ${engine}, opened 500 at a time`, [
    { name: 'opened in', unit: 's', samples: seconds.ours, references: { 'bare, opened': seconds.bare } },
    { name: 'memory of each', unit: 'KiB', samples: each('ours'), references: { 'bare, memory': each('bare') } },
  ]);
  await measureBroadcasts(ours, bare);
  await bare.clients.kill();
  await bare.server.kill();
  await measureTargeted(ours);
  await measureStorm(ours);
} finally {
  rmSync(folder, { recursive: true, force: true });
  await stopPostgres();
}
process.exit(0);

// Event streams by the thousand on one server process: what one costs in memory, how long a broadcast and a message to
// one account take to arrive, against a bare loop that writes framed bytes to as many sockets, and how long everybody
// needs to come back at once. Run: npm run bench events, or node test/bench/events.ts [streams] [rounds] [messages] [engine]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '../support/child.ts';
import type { BenchClientsAnswer, BenchClientsOrder } from '../support/children/event-bench-clients.ts';
import type { BenchServerOrder, BenchServerReady, BenchServerTold } from '../support/children/event-bench-server.ts';
import { postgres, stopPostgres } from '../support/postgres.ts';
import { inTurns, median, printTable, toSpread } from '../support/rounds.ts';

const [streams = 10_000, rounds = 9, messages = 500] = process.argv.slice(2, 5).map(Number);
const engine = process.argv[5] ?? 'sqlite';
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

const readRssKiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

let count = 0;
const newTitle = (): string => `event ${++count}`;

/** In milliseconds from the order until each listener had it. Throws when one had it twice, or who should not. */
async function send(side: Side, account?: number): Promise<number[]> {
  const title = newTitle();
  const told = (await ask(side.server, { title, ...(account !== undefined && { account }) })) as BenchServerTold;
  const order = { kind: 'await', titles: [title], ...(account !== undefined && { token: account }) } as const;
  const { at, strange } = (await ask(side.clients, order)) as BenchClientsAnswer & { kind: 'arrived' };
  if (strange > 0) throw new Error(`${strange} messages came twice or to the wrong listener`);
  return (at[0] ?? []).map(time => Number(BigInt(time) - BigInt(told.at)) / 1e6);
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

async function measureBroadcasts(ours: Side, bare: Side): Promise<void> {
  const p99 = (side: Side) => async () => quantile(await send(side), 0.99);
  await inTurns(2, { bare: p99(bare), ours: p99(ours) }); // warm
  const measured = await inTurns(rounds, { bare: p99(bare), ours: p99(ours) });
  const ratios = measured.ours.map((value, round) => value / (measured.bare[round] ?? Number.NaN));
  console.log(`\na broadcast to ${streams}, ms until 99 % have it: median of ${rounds} (lowest to highest)\n`);
  printTable([
    ['bare loop over framed sockets', toSpread(measured.bare)],
    ['from the transaction to the listener', toSpread(measured.ours)],
    ['ratio', toSpread(ratios, 2)],
    ['ratio of the medians', (median(measured.ours) / median(measured.bare)).toFixed(2)],
  ]);
}

async function measureTargeted(ours: Side): Promise<void> {
  const latencies: number[] = [];
  for (let message = 0; message < messages; message += 1)
    latencies.push(...(await send(ours, (message * 7) % ours.tokens.length)));
  const [half, most, last] = [0.5, 0.99, 1].map(share => quantile(latencies, share).toFixed(1));
  console.log(`\n${messages} messages to one account each, ms from the transaction to the listener\n`);
  printTable([
    ['median', half ?? ''],
    ['p99', most ?? ''],
    ['longest', last ?? ''],
  ]);
}

/** All go, miss events, and come back at once; two more events happen while they do. */
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
  console.log(
    `\n${streams} come back at once, behind ${missedEvents} events they missed and 2 that happen meanwhile\n`,
  );
  printTable([
    ['all connected, s', opened.toFixed(2)],
    ['all have everything, s', seconds.toFixed(2)],
    ['doubled', String(strange)],
    ['lost', '0'],
  ]);
}

try {
  const ours = await openSide('event-bench-server.ts', { env, accounts: Math.ceil(streams / streamsEach) });
  const bare = await openSide('bare-streams.ts', null);
  const pids = { ours: ours.server.pid, bare: bare.server.pid };
  const before = { ours: readRssKiB(pids.ours), bare: readRssKiB(pids.bare) };
  const seconds = { bare: await openStreams(bare), ours: await openStreams(ours) };
  await sleep(5000);
  const each = (side: 'ours' | 'bare') => ((readRssKiB(pids[side]) - before[side]) / streams).toFixed(1);
  console.log(`${streams} streams over ${engine}, opened 500 at a time\n`);
  printTable([
    ['', 'bare', 'ours'],
    ['opened in, s', seconds.bare.toFixed(2), seconds.ours.toFixed(2)],
    ['resident memory each, KiB', each('bare'), each('ours')],
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

// @module-tag long-on-postgres
// OpenTimestamps calendars for checkpoint roots: valid and invalid responses of a calendar double.
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Health } from '@recordproof/shared/api/monitor.ts';
import { merkleRootOf, parseBitcoinHeaders } from '@recordproof/shared/evidence/bitcoin-headers.ts';
import { parseHex, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import {
  listOtsClaims,
  type OtsAttestation,
  type OtsNode,
  otsPath,
  writeCalendarAnswer,
  writeOts,
} from '@recordproof/shared/evidence/ots.ts';
import { append } from '@recordproof/shared/evidence/ots-operations.ts';
import { expect, test } from 'vitest';
import type { Person, TestApp } from '../../../../test/support/app.ts';
import { otsLibrary, readByPython } from '../../../../test/support/ots-python.ts';
import {
  type Answering,
  answerEndlessly,
  openCalendar,
  serve,
  startWitnessed,
} from '../../../../test/support/outside-services.ts';
import { testWith } from '../../../../test/support/programs.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { makeLedgerFolder } from '../../../../test/support/witnesses.ts';
import { findCheckpoint } from '../chain/index.ts';
import { findVouchers } from './queries.ts';
import { mergeCalendarAnswers } from './request-ots-stamp.ts';

const waiting = { timeout: 20_000 };
const asking = (...urls: string[]) => ({
  RECORDPROOF_LEDGER_CALENDARS: urls.join(','),
  RECORDPROOF_LEDGER_CALENDAR_PAUSE_SECONDS: '86400',
});

async function store(app: TestApp, person: Person): Promise<void> {
  await storeProxied(person, randomBytes(2000));
  await app.drain();
}

const listAnswers = ({ app }: TestApp) =>
  app.database.db.selectFrom('voucher').selectAll().where('kind', '=', 'OTS').orderBy('id').execute();

const countPending = async ({ app }: TestApp): Promise<number> =>
  (await app.database.db.selectFrom('voucher_pending').select('voucher_id').execute()).length;

/** Everything that the calendars said about the newest checkpoint that they were sent. */
async function mergeNewest(app: TestApp): Promise<OtsNode> {
  const { db } = app.app.database;
  const size = (await listAnswers(app)).at(-1)?.checkpoint_size ?? 0;
  const root = parseHex((await findCheckpoint(db, size))?.root ?? '');
  return mergeCalendarAnswers(
    root,
    (await findVouchers(db, size, 'OTS')).map(({ content }) => content),
  );
}

/** In the order of their texts. */
const attestationsOf = (node: OtsNode) =>
  listOtsClaims(node)
    .map(({ attestation }) => attestation)
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

async function readHealth(admin: Person) {
  const { components } = (await (await admin.fetch('/actuator/health')).json()) as Health;
  const details = components?.vouchers?.details ?? {};
  const targets = (details.targets ?? {}) as Record<string, { error?: string }>;
  return { error: targets.opentimestamps?.error, pending: details.pendingAnswers };
}

/** As long as the fourth pause between two requests for one answer. */
async function passPause(app: TestApp): Promise<void> {
  app.clock.advance(2 * 3_600_000);
  await app.drain();
}

testWith(otsLibrary)(
  'the root of a checkpoint is pending in every calendar, and later verified by a block header',
  async () => {
    const [one, two] = [openCalendar('https://one.example'), openCalendar('https://two.example')];
    await using first = await serve(one.answering);
    await using second = await serve(two.answering);
    await using ledger = await makeLedgerFolder('ledger.example/log');
    await using app = await startWitnessed(ledger, asking(first.url, 'http://127.0.0.1:9', second.url));
    const root = await app.person('root', { role: 'admin' });
    await store(app, root);
    await expect.poll(() => countPending(app), waiting).toBe(2);
    expect(attestationsOf(await mergeNewest(app))).toEqual([
      { kind: 'PENDING', uri: 'https://one.example' },
      { kind: 'PENDING', uri: 'https://two.example' },
    ]);
    const health = await readHealth(root);
    expect(health).toMatchObject({ error: expect.stringContaining('127.0.0.1:9: http'), pending: { count: 2 } });
    await passPause(app);
    await expect.poll(() => one.requests.length, waiting).toBeGreaterThan(1);
    expect(await countPending(app)).toBe(2);
    const headers = [one.mine(800_000, 1_790_000_000), two.mine(800_001, 1_790_000_600)].join('');
    await passPause(app);
    await expect.poll(() => countPending(app), waiting).toBe(0);
    const node = await mergeNewest(app);
    expect(attestationsOf(node)).toEqual([
      { kind: 'BITCOIN', height: 800_000 },
      { kind: 'BITCOIN', height: 800_001 },
    ]);
    const [read] = readByPython([writeOts({ hash: 'sha256', root: node })]);
    if (read === undefined || 'error' in read) throw new Error(JSON.stringify(read));
    expect(read.digest).toBe(toHex(node.message));
    expect(read.claims.map(([, kind, height]) => [kind, height])).toEqual(
      expect.arrayContaining([
        ['BITCOIN', '800000'],
        ['BITCOIN', '800001'],
      ]),
    );
    const headerAt = parseBitcoinHeaders(toUtf8(headers));
    for (const [message, , height] of read.claims)
      expect(toHex(merkleRootOf(headerAt(Number(height)) ?? Buffer.alloc(80)))).toBe(message);
    expect(one.requests.filter(line => line.startsWith('POST'))).toHaveLength(1);
  },
);

const ending =
  (...attestations: OtsAttestation[]) =>
  (message: Uint8Array): OtsNode => ({ message, attestations, branches: [] });
const pending: OtsAttestation = { kind: 'PENDING', uri: 'https://calendar.example' };
const digesting =
  (make: (digest: Uint8Array) => Uint8Array): Answering =>
  async (request, response) =>
    void response.end(make(await buffer(request)));
const long = (steps: number) =>
  digesting(digest =>
    writeCalendarAnswer(
      otsPath(
        digest,
        Array.from({ length: steps }, () => ({ kind: 'sha256' })),
        ending(pending),
      ),
    ),
  );

const liars: Readonly<Record<string, readonly [why: RegExp, answering: Answering]>> = {
  'no attestation of a known kind': [
    /no attestation of a kind that is known/,
    digesting(digest =>
      writeCalendarAnswer(ending({ kind: 'OTHER', tag: Buffer.alloc(8, 1), payload: Buffer.alloc(3) })(digest)),
    ),
  ],
  'an unknown operation': [/not known/, digesting(() => Buffer.of(0x55, 1, 2))],
  'half an answer': [
    /cut off/,
    digesting(digest => writeCalendarAnswer(otsPath(digest, [append(digest)], ending(pending))).subarray(0, -4)),
  ],
  'bytes behind the answer': [
    /bytes follow/,
    digesting(digest => Buffer.concat([writeCalendarAnswer(ending(pending)(digest)), Buffer.of(1)])),
  ],
  'a tree that is too deep for a file': [/too many operations/, long(200)],
  'more attestations than a file may hold': [
    /too many attestations/,
    digesting(digest =>
      writeCalendarAnswer({ message: digest, attestations: Array.from({ length: 65 }, () => pending), branches: [] }),
    ),
  ],
  'too many bytes': [/exceeds 16384 bytes/, digesting(() => Buffer.alloc(20_000))],
  'a mebibyte': [/more than 65536 bytes/, digesting(() => Buffer.alloc(2 ** 20))],
  'an endless answer': [/more than 65536 bytes/, answerEndlessly],
  'a redirect': [
    /answered 302/,
    (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  ],
};

test('invalid responses of calendars are rejected, each for its reason', async () => {
  await using opened = new AsyncDisposableStack();
  const urls: string[] = [];
  for (const [, answering] of Object.values(liars)) urls.push(opened.use(await serve(answering)).url);
  await using ledger = await makeLedgerFolder('ledger.example/log');
  await using app = await startWitnessed(ledger, asking(...urls));
  const root = await app.person('root', { role: 'admin' });
  await store(app, root);
  const listErrors = async () => (await readHealth(root)).error?.split(/; (?=127\.0\.0\.1:\d+: )/) ?? [];
  await expect.poll(async () => (await listErrors()).length, waiting).toBe(urls.length);
  const errors = await listErrors();
  for (const [at, [name, [why]]] of Object.entries(liars).entries()) expect(errors[at], name).toMatch(why);
  expect(await listAnswers(app)).toEqual([]);
});

test('a later invalid response of a calendar is rejected and changes nothing', { tags: 'long' }, async () => {
  const calendar = openCalendar('https://one.example');
  let lie: Answering | undefined;
  await using served = await serve((request, response) =>
    request.method === 'GET' && lie !== undefined ? lie(request, response) : calendar.answering(request, response),
  );
  await using ledger = await makeLedgerFolder('ledger.example/log');
  await using app = await startWitnessed(ledger, asking(served.url));
  const root = await app.person('root', { role: 'admin' });
  await store(app, root);
  await expect.poll(() => countPending(app), waiting).toBe(1);
  const before = await listAnswers(app);
  for (const [answering, why] of [
    [(_request, response) => void response.end(Buffer.of(0x55)), /not known/],
    [answerEndlessly, /more than 65536 bytes/],
    [(_request, response) => void response.writeHead(500).end(), /answered 500/],
  ] as const satisfies readonly (readonly [Answering, RegExp])[]) {
    lie = answering;
    await passPause(app);
    const pendingNow = async () => (await readHealth(root)).pending;
    await expect.poll(pendingNow, waiting).toMatchObject({ count: 1, error: expect.stringMatching(why) });
    expect((await listAnswers(app)).slice(0, 1)).toEqual(before);
  }
  // Attestations of another kind, or still pending ones, do not end the wait.
  lie = (_request, response) => void response.end(writeCalendarAnswer(ending(pending)(Buffer.alloc(32))));
  await passPause(app);
  expect((await listAnswers(app)).slice(0, 1)).toEqual(before);
  lie = undefined;
  calendar.mine(1, 1_790_000_000);
  await passPause(app);
  await expect.poll(() => countPending(app), waiting).toBe(0);
});

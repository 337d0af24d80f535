// @module-tag long-on-postgres
// RFC 3161 time stamps of checkpoints: an authority made of `openssl ts` over HTTP, and invalid responses.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Health } from '@recordproof/shared/api/monitor.ts';
import { getSystemMonitor } from '@recordproof/shared/api/system.ts';
import { writeOid } from '@recordproof/shared/evidence/der.ts';
import { toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { readEvidenceArchive } from '@recordproof/shared/evidence/evidence-archive.ts';
import { writeStampRequest } from '@recordproof/shared/evidence/rfc3161.ts';
import { parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { verifySignature } from '@recordproof/shared/node/verify-signature.ts';
import { afterAll, describe, expect } from 'vitest';
import type { Person, TestApp } from '../../../../test/support/app.ts';
import { runVerifier } from '../../../../test/support/audit-runs.ts';
import { noteVerifiers } from '../../../../test/support/note-keys.ts';
import {
  type Answering,
  answerEndlessly,
  honestAuthority,
  serve,
  stamping,
  startWitnessed,
} from '../../../../test/support/outside-services.ts';
import { testWith } from '../../../../test/support/programs.ts';
import { exportProof, openProof } from '../../../../test/support/real-proofs.ts';
import { type Authority, makeAuthority, testPolicy } from '../../../../test/support/time-stamp-authority.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { makeLedgerFolder, openRealClock } from '../../../../test/support/witnesses.ts';
import { judgeExistence } from '../../../../verifier/src/existence/judge-existence.ts';
import { nodePlatform } from '../../../../verifier/src/node/node-platform.ts';
import { findCheckpoint } from '../chain/index.ts';

const test = testWith('openssl');
const folder = mkdtempSync(join(tmpdir(), 'stamps-'));
afterAll(() => rmSync(folder, { recursive: true }));
let folders = 0;
const newAuthority = (options: Parameters<typeof makeAuthority>[1] = {}) => {
  const own = join(folder, String(folders++));
  mkdirSync(own);
  return makeAuthority(own, { key: 'ECDSA', ...options });
};

const settingOf = (url: string, { rootsPath }: Authority, policy = ''): string => `${url} ${policy} roots=${rootsPath}`;
const asking = (...authorities: string[]) => ({ RECORDPROOF_LEDGER_STAMP_AUTHORITIES: authorities.join(',') });

async function prove(app: TestApp, person: Person) {
  const bytes = randomBytes(2000);
  const { fileId } = await storeProxied(person, bytes);
  await app.drain();
  const archive = await exportProof(person, fileId);
  return { bytes, fileId, archive, proofId: openProof(archive).manifest.proofId };
}

const listStamps = ({ app }: TestApp) =>
  app.database.db.selectFrom('voucher').selectAll().where('kind', '=', 'RFC3161').orderBy('checkpoint_size').execute();

/** The text that a stamp is about. */
async function textOf({ app }: TestApp, size: number): Promise<Uint8Array> {
  const checkpoint = await findCheckpoint(app.database.db, size);
  return toUtf8(parseSignedNote(toUtf8(checkpoint?.note ?? '')).text);
}

async function readHealth(admin: Person) {
  const { components } = (await (await admin.fetch('/actuator/health')).json()) as Health;
  const { status, details } = components?.vouchers ?? {};
  const targets = (details?.targets ?? {}) as Record<string, { vouchedSize: number; failures: number; error?: string }>;
  return { status, stamps: targets.rfc3161, text: JSON.stringify(components) };
}

const waiting = { timeout: 20_000 };

describe.each(['RSA', 'ECDSA'] as const)('an authority with %s', key => {
  test('stamps checkpoints; the stored stamp is its response and verified by openssl', async () => {
    const authority = newAuthority({ key });
    const answers: Buffer[] = [];
    const seen: (string | undefined)[] = [];
    await using ledger = await makeLedgerFolder('ledger.example/log');
    const edge = honestAuthority({
      ...authority,
      answer: request => {
        const answer = authority.answer(request);
        answers.push(answer);
        return answer;
      },
    });
    await using served = await serve((request, response) => {
      seen.push(request.headers.authorization);
      return edge(request, response);
    });
    const password = 'p%25s:word';
    await using app = await startWitnessed(ledger, {
      ...asking(
        settingOf('http://127.0.0.1:9/tsr', authority),
        settingOf(`${served.url}/`, authority, `policy=${testPolicy}.2`),
      ),
      RECORDPROOF_LEDGER_STAMP_CREDENTIALS: `${served.url} ada:${password}`,
    });
    const root = await app.person('root', { role: 'admin' });
    await prove(app, root);
    await expect.poll(async () => (await listStamps(app)).length, waiting).toBeGreaterThan(0);
    const [stamp] = await listStamps(app);
    expect(Buffer.from(stamp?.content ?? []).equals(answers[0] ?? Buffer.alloc(0))).toBe(true);
    authority.verify(answers[0] ?? Buffer.alloc(0), await textOf(app, stamp?.checkpoint_size ?? 0));
    expect(Math.abs((stamp?.stated_at ?? 0) - Date.now())).toBeLessThan(300_000);
    expect(stamp?.target).toBe(served.url.replace('http://', ''));
    expect(seen[0]).toBe(`Basic ${Buffer.from('ada:p%s:word').toString('base64')}`);
    const roots = join(ledger.folder, 'roots.pem');
    writeFileSync(roots, authority.roots);
    const audited = ['--key', ledger.logKey, '--tsa-roots', roots, '--compare', '0', '--format', 'json'];
    const audit = JSON.parse((await runVerifier('audit', app.app.url, ...audited)).stdout);
    expect([audit.outcome, audit.findings]).toEqual(['SOUND', []]);
    expect(audit.stamps[0]).toMatchObject({ size: (await listStamps(app)).at(-1)?.checkpoint_size });
    const { status, stamps, text } = await readHealth(root);
    expect([status, stamps?.failures, stamps?.vouchedSize]).toEqual(['UP', 0, stamp?.checkpoint_size]);
    expect(stamps?.error).toContain('127.0.0.1:9/tsr: http://127.0.0.1:9/tsr cannot be reached');
    expect(text).not.toMatch(/word|YWRhOn/);
    const monitor = await root.call(getSystemMonitor);
    expect(monitor.vouchers?.rfc3161).toMatchObject({ failures: 0, vouchedSize: stamp?.checkpoint_size });
    const metrics = await (await root.fetch('/actuator/prometheus')).text();
    expect(metrics).toMatch(/app_voucher_failures_total\{target="127\.0\.0\.1:9\/tsr"\} [1-9]/);
    expect(metrics).toMatch(/app_voucher_lag_entries\{target="rfc3161"\} \d/);
  });
});

const digestIn = (request: Buffer): Buffer => {
  const at = request.indexOf(Buffer.of(0x04, 0x20)) + 2;
  return request.subarray(at, at + 32);
};

const withoutPolicy = (request: Buffer): Buffer => {
  const policy = writeOid(`${testPolicy}.2`);
  const at = request.indexOf(policy);
  const length = Buffer.of((request[1] ?? 0) - policy.length);
  return Buffer.concat([request.subarray(0, 1), length, request.subarray(2, at), request.subarray(at + policy.length)]);
};

type Liar = {
  readonly answering: Answering;
  readonly authority?: Authority;
  readonly policy?: string;
};
const good = Promise.try(() => newAuthority());
const liars: Readonly<Record<string, readonly [why: RegExp, make: (authority: Authority) => Liar]>> = {
  'another nonce': [
    /nonce is another/,
    authority => ({
      answering: stamping(request => authority.answer(writeStampRequest(digestIn(request), randomBytes(16)))),
    }),
  ],
  'a stamp of something else': [
    /is of something else/,
    authority => ({ answering: stamping(() => authority.answer(writeStampRequest(randomBytes(32), randomBytes(16)))) }),
  ],
  'another policy': [
    /under the policy 1\.3\.6\.1\.4\.1\.99999\.1, not 1\.3\.6\.1\.4\.1\.99999\.1\.2/,
    authority => ({
      policy: `policy=${testPolicy}.2`,
      answering: stamping(request => authority.answer(withoutPolicy(request))),
    }),
  ],
  'a certificate that is not for time stamps': [
    /not one for time stamps alone/,
    authority => {
      const other = newAuthority({ purpose: 'none' });
      return { authority: other, answering: stamping(request => other.forge(authority.answer(request))) };
    },
  ],
  'the certificate of a stranger': [
    /no named root certifies/,
    authority => ({ authority: newAuthority(), answering: honestAuthority(authority) }),
  ],
  'a stamp that is cut off': [
    /ends before|cut off|too short|truncated/i,
    authority => ({ answering: stamping(request => authority.answer(request).subarray(0, -10)) }),
  ],
  'a changed signature': [
    /signature of the time stamp is wrong/,
    authority => ({
      answering: stamping(request => {
        const answer = authority.answer(request);
        return answer.with(answer.length - 1, (answer.at(-1) ?? 0) ^ 1);
      }),
    }),
  ],
  'a mebibyte': [/more than 65536 bytes/, () => ({ answering: stamping(() => new Uint8Array(2 ** 20)) })],
  'an endless answer': [/more than 65536 bytes/, () => ({ answering: answerEndlessly })],
  'a redirect': [
    /answered 307/,
    () => ({ answering: (_request, response) => void response.writeHead(307, { location: '/elsewhere' }).end() }),
  ],
  'an error that repeats what it was shown': [
    /authority 127\.0\.0\.1:\d+ answered 401: check ledger\.stamp-authorities and ledger\.stamp-credentials$/,
    () => ({ answering: (request, response) => void response.writeHead(401).end(request.headers.authorization) }),
  ],
};

/** Why each of these authorities is rejected by a server that asks them all. */
async function listRejections(liarsOf: (authority: Authority) => readonly Liar[], clock = openRealClock()) {
  const authority = await good;
  await using opened = new AsyncDisposableStack();
  const settings: string[] = [];
  for (const liar of liarsOf(authority)) {
    const { url } = opened.use(await serve(liar.answering));
    settings.push(settingOf(url, liar.authority ?? authority, liar.policy));
  }
  await using ledger = await makeLedgerFolder('ledger.example/log');
  await using app = await startWitnessed(ledger, asking(...settings), clock);
  const root = await app.person('root', { role: 'admin' });
  await prove(app, root);
  const listErrors = async () => (await readHealth(root)).stamps?.error?.split(/; (?=127\.0\.0\.1:\d+\S*: )/) ?? [];
  await expect.poll(async () => (await listErrors()).length, waiting).toBe(settings.length);
  expect(await listStamps(app)).toEqual([]);
  return await listErrors();
}

test('invalid responses of time stamp authorities are rejected, each for its reason', async () => {
  const errors = await listRejections(authority => Object.values(liars).map(([, make]) => make(authority)));
  for (const [at, [name, [why]]] of Object.entries(liars).entries()) expect(errors[at], name).toMatch(why);
});

test('a time stamp with a time that is not now is rejected', async () => {
  const clock = openRealClock();
  clock.advance(400_000);
  const errors = await listRejections(authority => [{ answering: honestAuthority(authority) }], clock);
  expect(errors[0]).toMatch(/states .+Z, but this server has .+Z: synchronize its clock/);
});

test('one time stamp a minute covers all entries since the previous one', async () => {
  const authority = await good;
  await using ledger = await makeLedgerFolder('ledger.example/log');
  await using served = await serve(honestAuthority(authority));
  await using app = await startWitnessed(ledger, asking(settingOf(served.url, authority)));
  const ada = await app.person('ada');
  await prove(app, ada);
  await expect.poll(async () => (await listStamps(app)).length, waiting).toBe(1);
  for (const _ of [1, 2, 3]) await prove(app, ada);
  await app.drain();
  expect(await listStamps(app)).toHaveLength(1);
  await app.app.server.ledger.publish();
  const { size } = await app.app.database.db.selectFrom('ledger_log').select('size').executeTakeFirstOrThrow();
  app.clock.advance(60_000);
  await app.drain();
  await expect.poll(async () => (await listStamps(app)).length, waiting).toBe(2);
  const [first, second] = await listStamps(app);
  expect(first?.checkpoint_size).toBeLessThan(size);
  expect(second?.checkpoint_size).toBeGreaterThanOrEqual(size);
});

test('a proof stamped by an authority no longer trusted is covered by a later stamp of another', {
  tags: 'long',
}, async () => {
  const [expired, later] = [await good, newAuthority({ key: 'ECDSA' })];
  let isGone = false;
  const honest = honestAuthority(expired);
  await using ledger = await makeLedgerFolder('ledger.example/log');
  await using first = await serve((request, response) =>
    isGone ? void response.writeHead(410).end() : honest(request, response),
  );
  await using second = await serve(honestAuthority(later));
  await using app = await startWitnessed(ledger, {
    ...asking(settingOf(first.url, expired), settingOf(second.url, later)),
    RECORDPROOF_LEDGER_STAMP_PAUSE_SECONDS: '1',
  });
  const ada = await app.person('ada');
  const proof = await prove(app, ada);
  const early = await untilStamped(app, proof.proofId);
  const judge = openJudge(proof, ledger.logKey);
  expect(await judge(early, expired)).toEqual(['EXISTED', undefined]);
  expect(await judge(early, later)).toEqual(['NOT_SHOWN', 'NO_TRUSTED_VOUCHER']);
  isGone = true;
  await prove(app, ada);
  const newest = Math.max(...(await listStamps(app)).map(({ checkpoint_size }) => checkpoint_size));
  const renewed = await untilStamped(app, proof.proofId, newest + 1);
  expect(await judge(renewed, later)).toEqual(['EXISTED', undefined]);
  expect(await exportProof(ada, proof.fileId)).toEqual(proof.archive);
  const packed = await ada.fetch(`/api/v1/files/${proof.fileId}/evidence.zip?fromSize=${newest + 1}`);
  const { tlogProof, stamp } = readEvidenceArchive(new Uint8Array(await packed.arrayBuffer()));
  expect(
    await judge({ tlogProof: new Uint8Array(tlogProof ?? []), stamp: new Uint8Array(stamp ?? []) }, later),
  ).toEqual([...['EXISTED', undefined]]);
});

/** What lies beside the proof, about the earliest checkpoint from this size on that has its stamp. */
async function untilStamped({ anonymous }: TestApp, proofId: string, fromSize = 0) {
  const read = async (name: 'tlog-proof' | 'tsr') => {
    const response = await anonymous.fetch(`/api/v1/public/proofs/${proofId}/${name}?fromSize=${fromSize}`);
    return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
  };
  await expect.poll(async () => (await read('tsr')).status, waiting).toBe(200);
  return { tlogProof: (await read('tlog-proof')).bytes, stamp: (await read('tsr')).bytes };
}

const openJudge =
  ({ bytes, archive }: Awaited<ReturnType<typeof prove>>, logKey: string) =>
  async (files: Awaited<ReturnType<typeof untilStamped>>, { roots }: Authority) => {
    const original = (async function* () {
      yield bytes;
    })();
    const policy = toUtf8(`log ${logKey}\nquorum none\n`);
    const given = { original, maxOriginalBytes: 2 ** 30, required: [], archive, ...files, policy, roots };
    const report = await judgeExistence(given, { ...nodePlatform, noteVerifiers, verifySignature });
    return [report.outcome, report.reason];
  };

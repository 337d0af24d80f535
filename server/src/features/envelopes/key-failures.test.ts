// @module-tag long-on-postgres
// Reads and writes during failures of the key service: wrong wraps, rejections, timeouts, outages, and recovery after them.
import { randomBytes } from 'node:crypto';
import { type BulkAnswer, readFrames } from '@recordproof/shared/api/bulk-answers.ts';
import { downloadMany } from '@recordproof/shared/api/files.ts';
import { saveSharedFiles } from '@recordproof/shared/api/share-access.ts';
import { createShare } from '@recordproof/shared/api/shares.ts';
import { completeUploadSession, createUploadSession } from '@recordproof/shared/api/upload-sessions.ts';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Person, type TestApp } from '../../../../test/support/app.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { share } from '../../../../test/support/shares.ts';
import {
  type InjectedFailure,
  startTransitDouble,
  type TransitDouble,
} from '../../../../test/support/transit-double.ts';
import {
  cut,
  putPart,
  sendFile,
  sendMany,
  sendProxied,
  storeProxied,
  toPlan,
} from '../../../../test/support/uploads.ts';
import type { Log } from '../../platform/telemetry/log.ts';

const token = 'hvs.a-token-of-a-test';
const keysAway = { status: 503, code: 40005, retryAfterSeconds: expect.any(Number) };

/** Both directions, or the one that is named, until it ends. */
function trouble(vault: TransitDouble, kind: InjectedFailure, ...operations: ('encrypt' | 'decrypt' | 'keys')[]) {
  for (const operation of operations) vault.troubles.set(operation, { trouble: kind, times: Number.POSITIVE_INFINITY });
  return {
    [Symbol.dispose]: () => {
      for (const operation of operations) vault.troubles.delete(operation);
    },
  };
}

const countLive = async ({ app }: TestApp): Promise<number> =>
  (await app.database.db.selectFrom('file').select('id').where('status', '=', 1).execute()).length;

const countEnvelopes = async ({ app }: TestApp): Promise<number> =>
  (await app.database.db.selectFrom('envelope').select('id').execute()).length;

const fetchFile = (person: Person, fileHash: string, init: RequestInit = {}) =>
  person.fetch(`/api/v1/files/${fileHash}/download`, init);

async function download(person: Person, fileHash: string): Promise<Buffer> {
  const answer = await fetchFile(person, fileHash);
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

async function downloadTogether(person: Person, ...fileHashes: string[]): Promise<BulkAnswer[]> {
  const { path } = downloadMany;
  const headers = { 'content-type': 'application/json' };
  const { body } = await person.fetch(path, { method: 'POST', headers, body: JSON.stringify({ fileHashes }) });
  return Array.fromAsync(readFrames(body ?? new ReadableStream(), 1024 * 1024));
}

async function uploadRejected(person: Person, bytes: Uint8Array) {
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(bytes)]), 'a.bin');
  const response = await person.fetch('/api/v1/files/upload', { method: 'POST', body: form });
  const { code, message } = (await response.json()) as { code: number; message: string };
  return { status: response.status, code, message, retryAfterSeconds: Number(response.headers.get('retry-after')) };
}

const lie = { kind: 'lie' } as const;

eachApp(start => {
  const openVaulted = async (timeoutMs = 20_000, log?: Log) => {
    const vault = await startTransitDouble(token);
    vault.addKey('files');
    const env = {
      RECORDPROOF_VAULT_ADDRESS: vault.address,
      RECORDPROOF_VAULT_KEY: 'files',
      RECORDPROOF_VAULT_TOKEN: token,
      RECORDPROOF_VAULT_TIMEOUT_MS: String(timeoutMs),
      RECORDPROOF_KEY_PROVIDER: 'vault-transit',
    };
    const app = await start({ env, ...(log && { log }) });
    const restart = async () => {
      await app.app[Symbol.asyncDispose]();
      const { db } = app.config;
      const database = db.kind === 'postgres' ? { DATABASE_URL: db.url.reveal() } : {};
      return start({ folder: app.folder, clock: app.clock, env: { ...env, ...database } });
    };
    return Object.assign(app, { vault, restart });
  };

  test('while wraps are wrong, single, bulk and chunked uploads are rejected and no file is made', async () => {
    await using app = await openVaulted();
    await using vault = app.vault;
    const ada = await app.person('ada');
    const bytes = randomBytes(3000);
    {
      using _lying = trouble(vault, lie, 'encrypt');
      expect(await uploadRejected(ada, bytes)).toMatchObject(keysAway);
      const many = await sendMany(
        ada,
        [{ bytes }, { bytes: randomBytes(200) }],
        '0b8cf6f6-5b8d-4f4e-9f6a-2f8f3f0b0a01',
      );
      const rejected = { status: 'REFUSED', code: 40005, retryAfterSeconds: expect.any(Number) };
      expect(many.data.results).toEqual([expect.objectContaining(rejected), expect.objectContaining(rejected)]);
      expect(await ada.expectError(createUploadSession, { body: toPlan(bytes) })).toMatchObject(keysAway);
      expect([await countLive(app), await countEnvelopes(app)]).toEqual([0, 0]);
    }
    const stored = (await sendFile(ada, bytes)).data;
    expect((await download(ada, stored.fileHash)).equals(bytes)).toBe(true);
    const many = await sendMany(ada, [{ bytes }, { bytes: randomBytes(200) }], '0b8cf6f6-5b8d-4f4e-9f6a-2f8f3f0b0a01');
    expect(many.data.results).toMatchObject([{ status: 'STORED' }, { status: 'STORED' }]);
  });

  test('a key service that rejects wraps with a decryption error is reported as unavailable', async () => {
    await using app = await openVaulted();
    await using vault = app.vault;
    const ada = await app.person('ada');
    const bytes = randomBytes(3000);
    const clientId = await sendProxied(ada, bytes);
    {
      const errors = ['cipher: message authentication failed'];
      using _rejecting = trouble(vault, { kind: 'refuse', status: 400, errors }, 'encrypt');
      expect(await uploadRejected(ada, bytes)).toMatchObject(keysAway);
      const many = await sendMany(ada, [{ bytes }], '0b8cf6f6-5b8d-4f4e-9f6a-2f8f3f0b0a02');
      expect(many.data.results).toMatchObject([
        { status: 'REFUSED', code: 40005, retryAfterSeconds: expect.any(Number) },
      ]);
      expect(await ada.expectError(createUploadSession, { body: toPlan(bytes) })).toMatchObject(keysAway);
      expect(await ada.expectError(completeUploadSession, { params: { clientId } })).toMatchObject(keysAway);
    }
    app.clock.advance(60_000);
    const { fileHash } = await ada.call(completeUploadSession, { params: { clientId } });
    expect((await download(ada, fileHash)).equals(bytes)).toBe(true);
  });

  test('completing a session while wraps are wrong stores nothing, and succeeds later', async () => {
    const errors: unknown[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(JSON.parse(line)) });
    await using app = await openVaulted(undefined, log);
    await using vault = app.vault;
    const ada = await app.person('ada');
    const bytes = randomBytes(9000);
    const clientId = await sendProxied(ada, bytes);
    {
      using _lying = trouble(vault, lie, 'encrypt');
      for (let attempt = 0; attempt < 8; attempt += 1) {
        expect(await ada.expectError(completeUploadSession, { params: { clientId } })).toMatchObject(keysAway);
        app.clock.advance(60_000);
        await app.drain();
      }
      expect([await countLive(app), await countEnvelopes(app)]).toEqual([0, 0]);
    }
    expect(errors, 'a client that asks again is no failure of its own').toEqual([]);
    app.clock.advance(60_000);
    const { fileHash } = await ada.call(completeUploadSession, { params: { clientId } });
    expect((await download(ada, fileHash)).equals(bytes)).toBe(true);
  });

  test('a share and a saved copy are rejected while wraps are wrong, and succeed later', async () => {
    await using app = await openVaulted();
    await using vault = app.vault;
    const [ada, bob] = [await app.person('ada'), await app.person('bob')];
    const bytes = randomBytes(5000);
    const { fileHash } = await storeProxied(ada, bytes);
    const request = { fileHash: [fileHash], expireMinutes: 60, shareType: 0 as const };
    {
      using _lying = trouble(vault, lie, 'encrypt');
      expect(await ada.expectError(createShare, { body: request })).toMatchObject(keysAway);
      expect(await countEnvelopes(app)).toBe(1);
    }
    const { shareCode } = await share(ada, fileHash);
    const saving = { params: { code: shareCode } };
    {
      using _lying = trouble(vault, lie, 'encrypt');
      expect(await bob.expectError(saveSharedFiles, saving)).toMatchObject(keysAway);
      expect(await countLive(app)).toBe(1);
    }
    app.clock.advance(60_000);
    const [copy] = await bob.call(saveSharedFiles, saving);
    expect((await download(bob, copy?.fileHash ?? '')).equals(bytes)).toBe(true);
  });

  async function checkDuring(kind: InjectedFailure, timeoutMs?: number): Promise<void> {
    await using app = await openVaulted(timeoutMs);
    await using vault = app.vault;
    const ada = await app.person('ada');
    const bytes = randomBytes(3000);
    const { fileHash } = await storeProxied(ada, bytes);
    const clientId = await sendProxied(ada, randomBytes(5000));
    {
      using _down = trouble(vault, kind, 'encrypt', 'decrypt', 'keys');
      expect(await uploadRejected(ada, bytes)).toMatchObject(keysAway);
      expect(await ada.expectError(createUploadSession, { body: toPlan(bytes) })).toMatchObject(keysAway);
      expect(await ada.expectError(completeUploadSession, { params: { clientId } })).toMatchObject(keysAway);
      const request = { fileHash: [fileHash], expireMinutes: 60, shareType: 0 as const };
      expect(await ada.expectError(createShare, { body: request })).toMatchObject(keysAway);
      const read = await fetchFile(ada, fileHash);
      expect({ status: read.status, ...(await read.json()) }).toMatchObject({ status: 503, code: 40005 });
      expect(Number(read.headers.get('retry-after'))).toBeGreaterThan(0);
      const [together] = await downloadTogether(ada, fileHash);
      expect(together).toMatchObject(keysAway);
    }
    app.clock.advance(60_000);
    await ada.call(completeUploadSession, { params: { clientId } });
    expect((await download(ada, fileHash)).equals(bytes)).toBe(true);
    expect(await countLive(app)).toBe(2);
  }

  test.each<[string, InjectedFailure]>([
    ['is away', { kind: 'hang-up' }],
    ['refuses', { kind: 'refuse', status: 403, errors: ['permission denied'] }],
    ['is sealed', { kind: 'refuse', status: 503, errors: ['Vault is sealed'] }],
    ['redirects', { kind: 'redirect', to: 'https://example.org/elsewhere' }],
    ['answers nonsense', { kind: 'answer', text: '<html>welcome</html>' }],
  ])('a key service that %s makes writes and reads respond with 503 and Retry-After', (_name, kind) =>
    checkDuring(kind),
  );

  test('a key service that hangs makes writes and reads respond with 503 and Retry-After', { tags: 'long' }, () =>
    checkDuring({ kind: 'silence' }, 2000),
  );

  test('an outage of the key service logs one warning a minute, without a stack', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    await using app = await openVaulted(undefined, log);
    await using vault = app.vault;
    const ada = await app.person('ada');
    const { fileHash } = await storeProxied(ada, randomBytes(3000));
    const failFourTimes = async () => {
      for (let count = 0; count < 2; count += 1) {
        expect(await uploadRejected(ada, randomBytes(3000))).toMatchObject(keysAway);
        expect((await fetchFile(ada, fileHash)).status).toBe(503);
      }
    };
    using _down = trouble(vault, { kind: 'refuse', status: 403, errors: ['permission denied'] }, 'encrypt', 'decrypt');
    await failFourTimes();
    app.clock.advance(60_000);
    await failFourTimes();
    const told = lines.filter(({ msg }) => String(msg).includes('key service is unavailable'));
    const warning = { level: 40, traceId: expect.any(String), category: 'PERMISSION_DENIED' };
    expect(told).toMatchObject([warning, { ...warning, before: 3 }]);
    expect(told.map(line => 'err' in line || 'stack' in line)).toEqual([false, false]);
    expect(lines.filter(({ level }) => Number(level) > 40)).toEqual([]);
  });

  test('the ZIP of a share responds with 503 during a key service outage; bulk calls log it once each', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    await using app = await openVaulted(undefined, log);
    await using vault = app.vault;
    const ada = await app.person('ada');
    const stored = [await storeProxied(ada, randomBytes(3000)), await storeProxied(ada, randomBytes(3000))];
    const [one, two] = stored.map(({ fileHash }) => fileHash) as [string, string];
    const { shareCode } = await share(ada, one);
    const zip = () => fetch(`${app.app.url}/s/${shareCode}/all.zip`);
    {
      using _down = trouble(vault, { kind: 'refuse', status: 403, errors: [] }, 'encrypt', 'decrypt');
      const answer = await zip();
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.any(String)]);
      const [, answered] = await Promise.all([answer.body?.cancel(), downloadTogether(ada, one, two)]);
      expect(answered).toMatchObject([{ code: 40005 }, { code: 40005 }]);
      expect(lines).toHaveLength(1);
      for (const send of [
        () => downloadTogether(ada, one, two),
        () => sendMany(ada, [{ bytes: randomBytes(90) }], '0b8cf6f6-5b8d-4f4e-9f6a-2f8f3f0b0a03'),
      ]) {
        lines.length = 0;
        app.clock.advance(60_000);
        await send();
        expect(lines).toMatchObject([{ level: 40, category: 'PERMISSION_DENIED' }]);
      }
    }
    const whole = await zip();
    expect(whole.status).toBe(200);
    expect((await whole.arrayBuffer()).byteLength).toBe(Number(whole.headers.get('content-length')));
  });

  test.each(['as it is', 'of an older server'])(
    'a wrong key for an envelope %s is reported as an outage, not as damage',
    async made => {
      await using app = await openVaulted();
      await using vault = app.vault;
      const { db } = app.app.database;
      const ada = await app.person('ada');
      const bytes = randomBytes(30_000);
      const { fileHash } = await storeProxied(ada, bytes);
      if (made !== 'as it is') await db.updateTable('envelope').set({ key_check: null }).execute();
      {
        using _lying = trouble(vault, lie, 'decrypt');
        for (const range of ['bytes=0-', 'bytes=5000-6000']) {
          const answer = await fetchFile(ada, fileHash, { headers: { range } });
          expect({ status: answer.status, ...(await answer.json()) }).toMatchObject({ status: 503, code: 40005 });
          expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        }
      }
      await app.drain();
      expect(await db.selectFrom('integrity_alert').selectAll().execute()).toEqual([]);
      expect((await download(ada, fileHash)).equals(bytes)).toBe(true);
    },
  );

  test('an upload rejects parts while its key is unwrapped wrongly, and continues with the right key', async () => {
    await using app = await openVaulted();
    await using vault = app.vault;
    const ada = await app.person('ada');
    const bytes = randomBytes(9000);
    const plan = toPlan(bytes);
    const { clientId } = await ada.call(createUploadSession, { body: plan });
    expect((await putPart(ada, clientId, 0, cut(bytes, plan.chunkSize, 0))).status).toBe(200);
    await using next = await app.restart();
    const again = new Person('ada', next.app.url, ada.token);
    {
      using _lying = trouble(vault, lie, 'decrypt');
      const part = putPart(again, clientId, 1, cut(bytes, plan.chunkSize, 1));
      expect(await part).toMatchObject({ status: 503, code: 40005 });
    }
    for (const index of [1, 2]) await putPart(again, clientId, index, cut(bytes, plan.chunkSize, index));
    const { fileHash } = await again.call(completeUploadSession, { params: { clientId } });
    expect((await download(again, fileHash)).equals(bytes)).toBe(true);
  });
});

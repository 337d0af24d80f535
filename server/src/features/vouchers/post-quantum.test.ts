// @module-tag long
// Checkpoints with a post-quantum signature of the ledger beside the one of Ed25519.
import { randomBytes } from 'node:crypto';
import { openCheckpoint } from '@recordproof/shared/evidence/checkpoint.ts';
import { verifyCosignature } from '@recordproof/shared/evidence/cosignature.ts';
import { parseTypedKey, toTypedKeyText } from '@recordproof/shared/evidence/note-keys.ts';
import { parseSignedNote } from '@recordproof/shared/evidence/signed-note.ts';
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../../test/support/app.ts';
import { noteVerifiers, testSigner } from '../../../../test/support/note-keys.ts';
import { honestWitness, serve, startWitnessed } from '../../../../test/support/outside-services.ts';
import { databaseOf, runServerCommand } from '../../../../test/support/run-server-command.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';
import { makeLedgerFolder, openRealClock } from '../../../../test/support/witnesses.ts';
import { verifyEd25519 } from '../chain/index.ts';

const on = { RECORDPROOF_LEDGER_POST_QUANTUM: 'true' };
const read = async ({ anonymous }: TestApp, path: string) => {
  const response = await anonymous.fetch(path);
  return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
};
const textAt = async (app: TestApp, path: string): Promise<string> =>
  Buffer.from((await read(app, path)).bytes).toString();

async function grow(app: TestApp): Promise<void> {
  await storeProxied(await app.person('ada'), randomBytes(2000));
  await app.drain();
  await app.app.server.ledger.publish();
}

test('a ledger with ML-DSA-44 signatures enabled stays readable for clients of the previous release', async () => {
  await using ledger = await makeLedgerFolder('ledger.example/log');
  const key = parseTypedKey(ledger.logKey);
  {
    await using app = await startApp({ clock: openRealClock(), folder: ledger.folder, env: ledger.env });
    expect((await read(app, '/ledger/key/post-quantum')).status).toBe(404);
    expect(parseSignedNote((await read(app, '/ledger/checkpoint')).bytes).signatures).toHaveLength(1);
  }
  const witness = testSigner('COSIGNATURE', 'one.example');
  await using served = await serve(honestWitness(witness, ledger.logKey));
  const setting = `${served.url} ${toTypedKeyText(witness)}`;
  await using app = await startWitnessed(ledger, { ...on, RECORDPROOF_LEDGER_WITNESSES: setting });
  await grow(app);
  const names = async () =>
    parseSignedNote((await read(app, '/ledger/checkpoint')).bytes).signatures.map(({ name }) => name);
  await expect.poll(names, { timeout: 20_000 }).toEqual([key.name, key.name, 'one.example']);
  const { bytes } = await read(app, '/ledger/checkpoint');
  const postQuantumText = (await textAt(app, '/ledger/key/post-quantum')).trim();
  const postQuantum = parseTypedKey(postQuantumText);
  expect([postQuantum.type, postQuantum.name]).toEqual(['ML_DSA_44', key.name]);
  expect(await verifyCosignature(parseSignedNote(bytes), postQuantum, noteVerifiers)).toEqual({ state: 'VALID' });
  // What the last release does with it: it knows one key.
  expect((await openCheckpoint(bytes, key, verifyEd25519)).size).toBeGreaterThan(0);
  expect((await textAt(app, '/ledger/key')).trim()).toBe(ledger.logKey);
  // One line of 3,300 bytes beside some 200.
  expect([bytes.length > 3000, bytes.length < 4096]).toEqual([true, true]);
  const env = { RECORDPROOF_DATA: ledger.folder, ...on, ...databaseOf(app) };
  const { code, out } = await runServerCommand(['ledger', 'keys'], env).ended;
  expect([code, out.split('\n')]).toEqual([0, [ledger.logKey, postQuantumText, '']]);
});

// @vitest-environment-options {"process": "hardware-module: the module reads its settings once"}
// @module-tag long
import { randomBytes } from 'node:crypto';
import { getCryptoPolicy, putCryptoPolicy } from '@recordproof/shared/api/crypto-policy.ts';
import * as api from '@recordproof/shared/api/key-rotation.ts';
import { afterAll, beforeAll, expect } from 'vitest';
import { isThere } from '../../../../scripts/test-programs.mjs';
import type { Person } from '../../../../test/support/app.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import {
  beginRotation,
  download,
  listEnvelopes,
  masterKeysOf,
  readRotation,
  rotating,
  toLocal,
} from '../../../../test/support/rotations.ts';
import {
  openSoftHsm,
  type SoftHsm,
  softHsmModule,
  testWithSoftHsm as test,
  tokenPin,
} from '../../../../test/support/softhsm.ts';
import { storeProxied } from '../../../../test/support/uploads.ts';

let hsm: SoftHsm | undefined;

beforeAll(() => {
  if (!isThere('softhsm2-util')) return;
  hsm = openSoftHsm('rotating');
  hsm.addKey({ token: 'rotating', label: 'files', id: '01' });
});
afterAll(() => hsm?.[Symbol.dispose]());

const withModule = {
  ...rotating,
  RECORDPROOF_PKCS11_MODULE: softHsmModule,
  RECORDPROOF_PKCS11_TOKEN: 'rotating',
  RECORDPROOF_PKCS11_KEY: 'files',
  RECORDPROOF_PKCS11_PIN: tokenPin,
};

async function wrapByModule(root: Person): Promise<void> {
  const { policyVersion, policyFingerprint: _old, ...choices } = await root.call(getCryptoPolicy);
  const body = { ...choices, wrappingProvider: 'pkcs11', expectedVersion: policyVersion };
  await root.call(putCryptoPolicy, { body });
}

eachApp(start => {
  test('keys are rotated from the master key file to a hardware module, and the old one can be retired', async () => {
    await using app = await start({ env: withModule });
    const ada = await app.person('ada');
    const root = await app.person('root', { role: 'admin' });
    const contents = [randomBytes(3000), randomBytes(3000), randomBytes(3000)];
    const stored: { readonly fileHash: string; readonly bytes: Buffer }[] = [];
    for (const bytes of contents) stored.push({ fileHash: (await storeProxied(ada, bytes)).fileHash, bytes });
    await app.drain();
    const { body } = toLocal('01', { expectedProvider: 'pkcs11' });
    const early = await root.expectError(api.putKeyRotationPolicy, { body });
    expect(early.message).toBe('new files are wrapped by the provider local, not by pkcs11; change it first');

    await wrapByModule(root);
    await root.call(api.putKeyRotationPolicy, { body });
    const run = await beginRotation(root, 'APPLY');
    await app.drain();
    expect(await readRotation(root, run)).toMatchObject({ status: 'COMPLETED', succeededCount: 3, failedCount: 0 });
    const envelopes = (await listEnvelopes(app)).map(row => `${row.status} ${row.provider} ${row.algorithm}`);
    const superseded = stored.map(() => 'SUPERSEDED local AES-256-GCM');
    expect(envelopes).toEqual([...superseded, ...stored.map(() => 'ACTIVE pkcs11 PKCS11-AES256-GCM')]);

    const masterKeys = await masterKeysOf(app);
    await masterKeys.addVersion();
    await masterKeys.removeVersion('1');
    for (const { fileHash, bytes } of stored) expect((await download(ada, fileHash)).equals(bytes)).toBe(true);
  });
});

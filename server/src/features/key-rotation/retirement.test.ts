// Retirement of an old key: the conditions under which it is rejected.
import { randomBytes } from 'node:crypto';
import { startUpload } from '@recordproof/shared/api/chunked-uploads.ts';
import * as api from '@recordproof/shared/api/key-rotation.ts';
import { expect, test } from 'vitest';
import { eachApp } from '../../../../test/support/each-app.ts';
import { beginRotation, masterKeysOf, rotating, toLocal } from '../../../../test/support/rotations.ts';
import { toPlan } from '../../../../test/support/uploads.ts';

eachApp(start => {
  test('a key that wraps the key of an unfinished upload is in use, also in the certificate', async () => {
    await using app = await start({ env: rotating });
    const ada = await app.person('ada');
    const root = await app.person('root', { role: 'admin' });
    const { clientId } = await ada.call(startUpload, { body: toPlan(randomBytes(5000)) });
    await (await masterKeysOf(app)).addVersion();
    await root.call(api.putKeyRotationPolicy, toLocal('2'));
    const { runId } = await beginRotation(root, 'APPLY');
    await app.drain();
    app.clock.advance(61_000);
    const readRetirement = async () => (await root.call(api.getKeyRotationPolicy)).retirement;
    expect(await readRetirement()).toMatchObject({ state: 'NOT_READY', reason: 'OLD_KEY_IN_USE' });
    expect((await root.expectError(api.acknowledgeKeyRetirement)).kind).toBe('RUN_STATE_CONFLICT');
    const { certificate } = await root.call(api.issueRetirementCertificate, { params: { runId } });
    expect(certificate.oldKeyInUse).toBe(true);
    const uploads = app.app.database.db.updateTable('upload').where('client_id', '=', clientId);
    await uploads.set({ status: 'CANCELLED' }).execute();
    expect(await readRetirement()).toMatchObject({ state: 'READY', reason: null });
  });
});

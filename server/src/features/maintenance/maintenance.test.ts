// @module-tag long-on-postgres
// Maintenance mode: changes are rejected, reads are allowed, jobs and uploads pause and continue.
import { createHash } from 'node:crypto';
import { me } from '@recordproof/shared/api/auth.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { getFile } from '@recordproof/shared/api/files.ts';
import * as api from '@recordproof/shared/api/maintenance.ts';
import { completeUploadSession, createUploadSession } from '@recordproof/shared/api/upload-sessions.ts';
import { expect, test } from 'vitest';
import { Person, type TestApp, testPassword } from '../../../../test/support/app.ts';
import { pattern } from '../../../../test/support/bytes.ts';
import { checkEverything } from '../../../../test/support/check-everything.ts';
import { eachApp } from '../../../../test/support/each-app.ts';
import { laptop } from '../../../../test/support/real-proofs.ts';
import { cut, putPart, sendFile, toPlan } from '../../../../test/support/uploads.ts';
import { localCall } from '../../platform/call.ts';
import { isChange } from '../../platform/http/in-maintenance.ts';
import { getDefaultTenant } from '../accounts/index.ts';
import { setMaintenance } from './index.ts';

const message = 'We move the store; back at 18:00 UTC.';

/** Sessions, and what reads with a body; besides signing out, which would end the test. */
const allowed = [
  'approveDeviceSignIn',
  'beginEnrolment',
  'beginPasskeyEnrolment',
  'completeEnrolment',
  'completePasskeyEnrolment',
  'createStream',
  'disconnectEvents',
  'downloadFiles',
  'downloadMany',
  'endOneSession',
  'endOtherSessions',
  'enterSharePage',
  'exchangeIdentity',
  'exchangeSignInCode',
  'exportAuditLogs',
  'exportManyEvidence',
  'exportProofs',
  'findDeviceSignIn',
  'forgetSession',
  'giveSecondFactor',
  'issueStreamToken',
  'keepSession',
  'listSensitiveOperations',
  'login',
  'openShare',
  'passkeySignInOptions',
  'pollDeviceSignIn',
  'readInvitation',
  'readThumbnails',
  'refreshToken',
  'resumeSession',
  'revokeApiToken',
  'revokeTokenOfUser',
  'searchAuditLogs',
  'setMaintenance',
  'signInWithPasskey',
  'startDeviceSignIn',
  'startLoopbackSignIn',
  'startSignIn',
  'useSignInLink',
];

/** What strangers may do and maintenance refuses. */
const changesOfStrangers = [
  'acceptInvitation',
  'addWitnessCheckpoint',
  'beginDrop',
  'cancelDropFile',
  'completeDropFile',
  'putDropPart',
  'putSignedObject',
  'register',
  'requestInvitedMailCode',
  'requestMailCode',
  'resetPassword',
  'setUp',
  'startDropFile',
];

/** As a command on another machine does it: through the database alone. */
async function switchElsewhere({ app, clock }: TestApp, change: Parameters<typeof setMaintenance>[2]): Promise<void> {
  const tenantId = await getDefaultTenant(app.database.db);
  await setMaintenance({ database: app.database, clock }, localCall('test', tenantId, clock.now()), change);
}

/** Whatever stands for an id; a change is refused before anybody looks at it. */
const askBare = (person: Person, { method, path }: AnyEndpoint): Promise<Response> =>
  person.fetch(path.replace('**', 'x').replace(/\{\w+\}/g, '1'), { method });

const digestRows = async ({ app }: TestApp): Promise<string> => {
  const { db } = app.database;
  const hash = createHash('sha256');
  for (const table of ['file', 'account', 'upload', 'share', 'ticket', 'message', 'tenant'] as const)
    hash.update(JSON.stringify(await db.selectFrom(table).selectAll().orderBy('id').execute()));
  return hash.digest('hex');
};

eachApp(start => {
  test('maintenance rejects every change of every endpoint with 503 and its message, and allows reads', async () => {
    await using app = await start();
    const root = await app.person('root', { isInstallationAdmin: true });
    const stored = await sendFile(root, await pattern(1000));
    await app.drain();
    await switchElsewhere(app, { isOn: true, message });
    const before = await digestRows(app);
    const endpoints = app.app.server.parts.flatMap(part => part.routes ?? []).map(({ endpoint }) => endpoint);
    for (const endpoint of endpoints.filter(isChange)) {
      const response = await askBare(root, endpoint);
      const about = `${endpoint.method} ${endpoint.path}`;
      expect(response.status, about).toBe(503);
      expect(response.headers.get('retry-after'), about).toBe('60');
      if (endpoint.name !== 'enterSharePage')
        expect(await response.json(), about).toMatchObject({ code: 40008, data: { detail: { message } } });
    }
    const reads = endpoints.filter(one => !isChange(one) && one.method !== 'GET' && one.name !== 'logout');
    expect(reads.map(({ name }) => name).sort()).toEqual(allowed);
    const rejectedToStrangers = endpoints.filter(one => isChange(one) && one.access === 'anonymous');
    expect(rejectedToStrangers.map(({ name }) => name).sort()).toEqual(changesOfStrangers); // no step of signing in
    for (const endpoint of endpoints.filter(one => one.method === 'GET' && one.answerForm === 'envelope'))
      expect((await askBare(root, endpoint)).status, endpoint.path).not.toBe(503);
    await app.drain();
    expect(await digestRows(app)).toBe(before);
    expect(await root.call(getFile, { params: { hash: stored.data.fileHash as string } })).toBeTruthy();
  });

  test('an administrator can sign in to end maintenance; jobs and uploads pause and then continue', async () => {
    await using app = await start({ env: laptop });
    const root = await app.person('root', { isInstallationAdmin: true });
    const ada = await app.person('ada');
    const bytes = await pattern(8000);
    const plan = toPlan(bytes, { chunkSize: 4096 });
    const { clientId } = await ada.call(createUploadSession, { body: plan });
    await putPart(ada, clientId, 0, cut(bytes, 4096, 0));
    await sendFile(ada, await pattern(500));
    expect(await app.anonymous.call(api.getMaintenance)).toEqual({ isOn: false, message: null, since: null });
    await root.call(api.setMaintenance, { body: { isOn: true, message } });
    expect(await app.anonymous.call(api.getMaintenance)).toMatchObject({ isOn: true, message });
    expect((await putPart(ada, clientId, 1, cut(bytes, 4096, 1))).status).toBe(503);
    const ledger = () => app.app.database.db.selectFrom('ledger_entry').selectAll().execute();
    await app.drain(); // a job that began before maintenance may still have been running
    const recorded = (await ledger()).length;
    app.clock.advance(60_000);
    await app.drain();
    expect(await ledger()).toHaveLength(recorded);
    expect(await ada.expectError(api.setMaintenance, { body: { isOn: false } })).toMatchObject({ kind: 'FORBIDDEN' });

    const again = new Person('root', app.app.url);
    await again.login('root', testPassword);
    expect((await again.call(me)).username).toBe('root');
    await again.call(api.setMaintenance, { body: { isOn: false } });
    expect((await putPart(ada, clientId, 1, cut(bytes, 4096, 1))).status).toBe(200);
    await ada.call(completeUploadSession, { params: { clientId } });
    app.clock.advance(60_000);
    await app.drain();
    expect((await ledger()).length).toBeGreaterThan(recorded);
    const rows = app.app.database.db
      .selectFrom('audit_log')
      .select('operation_type')
      .where('module', '=', 'maintenance');
    expect((await rows.orderBy('id').execute()).map(row => row.operation_type)).toEqual([
      'on',
      'setMaintenance',
      'off',
    ]); // the second was refused
    await checkEverything(app);
  });
});

// Queries about a proof to the server of the session, through both bridges: a page over fetch, a window over the IPC
// table.
import { openClient } from '@recordproof/shared/api/client.ts';
import { revokeProof } from '@recordproof/shared/api/proofs.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import type { LiveEvidence } from '@recordproof/verifier/verify/live-evidence.ts';
import { verifyProof } from '@recordproof/verifier/verify/verify-proof.ts';
import { answerThrough, askThrough } from '@recordproof/verifier/web/client/live-port.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startApp, type TestApp, testPassword } from '../../../test/support/app.ts';
import { findFreePort } from '../../../test/support/child-process.ts';
import { exportProof, laptop } from '../../../test/support/real-proofs.ts';
import { storeProxied } from '../../../test/support/uploads.ts';
import { openTestProgram, type TestProgram } from '../testing.ts';
import { askServer } from './ask-server.ts';

let app: TestApp;
let desktop: TestProgram;

beforeEach(async () => {
  app = await startApp({ env: laptop });
  desktop = await openTestProgram();
});
afterEach(async () => {
  await desktop[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

const original = Buffer.from('what was agreed');

async function proveOriginal() {
  const ada = await app.person('ada');
  const { fileId } = await storeProxied(ada, original);
  await app.drain();
  const overTable = desktop.bridge;
  await overTable.shell?.addServer(app.app.url);
  await overTable.session.signIn({ username: 'ada', password: testPassword, stay: false });
  return { ada, fileId, archive: await exportProof(ada, fileId), calls: [ada.client.call, overTable.call] };
}

async function* once(bytes: Uint8Array) {
  yield bytes;
}

/** The engine on the other side of a port, as it works in the page. */
async function judge(archive: Uint8Array, live: LiveEvidence) {
  const { port1, port2 } = new MessageChannel();
  answerThrough(port1, live);
  const request = { archive, original: once(original), maxOriginalBytes: 1000, live: askThrough(port2) };
  try {
    const { outcome, reason, summary } = await verifyProof(request, nodePlatform);
    return [outcome, reason, summary.keySource];
  } finally {
    port1.close();
  }
}

test('the server confirms its own proof, and reports its revocation', async () => {
  const { ada, fileId, archive, calls } = await proveOriginal();
  for (const call of calls) expect(await judge(archive, askServer({ call }))).toEqual(['VALID', undefined, 'ISSUER']);
  await ada.call(revokeProof, { params: { id: fileId }, body: { reason: 'withdrawn' } });
  for (const call of calls)
    expect(await judge(archive, askServer({ call }))).toEqual(['INVALID', 'STATUS_REVOKED', 'ISSUER']);
});

test('an unknown proof, an unreachable server and a failure leave the verdict INDETERMINATE', async () => {
  const { archive } = await proveOriginal();
  await using other = await startApp();
  const stranger = await other.person('eve');
  expect(await judge(archive, askServer(stranger.client))).toEqual(['INDETERMINATE', 'KEY_UNKNOWN', 'NONE']);
  const deadClient = openClient({ baseUrl: `http://127.0.0.1:${await findFreePort()}` });
  expect(await judge(archive, askServer(deadClient))).toEqual(['INDETERMINATE', 'KEY_CONNECTION_FAILED', 'NONE']);
  const broken = { ...askServer(deadClient), findIssuerKey: () => Promise.reject(new Error('of the page')) };
  expect(await judge(archive, broken)).toEqual(['INDETERMINATE', 'KEY_UNAVAILABLE', 'NONE']);
});

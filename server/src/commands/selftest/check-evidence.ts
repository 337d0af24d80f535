// Selftest of evidence, end to end on a scratch installation: store a file, prove it, verify the proof with the
// verifier, damage the stored bytes and detect the damage.
import { randomBytes } from 'node:crypto';
import { triggerAttestation } from '@recordproof/shared/api/attestation.ts';
import { login } from '@recordproof/shared/api/auth.ts';
import { getChainRoot } from '@recordproof/shared/api/chain.ts';
import { type Client, openClient } from '@recordproof/shared/api/client.ts';
import { downloadFile } from '@recordproof/shared/api/files.ts';
import { checkIntegrity } from '@recordproof/shared/api/integrity.ts';
import { exportProof } from '@recordproof/shared/api/proofs.ts';
import { uploadFile } from '@recordproof/shared/api/uploads.ts';
import { nodePlatform } from '@recordproof/verifier/node/node-platform.ts';
import { openOnlineEvidence } from '@recordproof/verifier/online/online-evidence.ts';
import { verifyProof } from '@recordproof/verifier/verify/verify-proof.ts';
import { type App, openApp } from '../../compose/app.ts';
import { silentLog } from '../../platform/telemetry/log.ts';
import { type Check, ok, runCheck, skipped } from './check.ts';
import type { Scratch } from './scratch.ts';

type Journey = {
  readonly app: App;
  readonly client: Client;
  readonly token: string;
  readonly original: Buffer;
  fileId: string;
  archive: Uint8Array;
};

type Step = (journey: Journey) => Promise<string>;

/** One chunk: several would take minutes on a slow store and test the same path. */
const originalBytes = 200_000;

/** A failed expectation; the message is the finding. */
class Unexpected extends Error {}

const store: Step = async journey => {
  const { app, client, token, original } = journey;
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(original)], { type: 'application/octet-stream' }), 'selftest.bin');
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(app.url + uploadFile.path, { method: 'POST', body: form, headers });
  const { data, message } = (await response.json()) as {
    data: { fileId: string; fileHash: string } | null;
    message: string;
  };
  if (!response.ok || data === null) throw new Unexpected(`the upload was rejected (${response.status}): ${message}`);
  journey.fileId = data.fileId;
  const download = await client.open(downloadFile, { params: { hash: data.fileHash } });
  if (!Buffer.from(await download.arrayBuffer()).equals(original))
    throw new Unexpected('the download returned other bytes than were stored');
  return `${originalBytes} bytes stored and read back the same`;
};

const prove: Step = async journey => {
  const { app, client, fileId } = journey;
  await app.drain();
  await client.call(triggerAttestation);
  await app.drain();
  const response = await client.open(exportProof, { params: { id: fileId } });
  journey.archive = new Uint8Array(await response.arrayBuffer());
  return `a proof of ${journey.archive.length} bytes was issued`;
};

const verify: Step = async ({ app: { url }, original, archive }) => {
  const live = openOnlineEvidence({
    issuerBaseUrl: url,
    chainUrlTemplate: `${url}${getChainRoot.path}`,
    ledgerUrl: `${url}/ledger`,
    allowedHosts: [new URL(url).host],
    allowHttp: true,
    allowPrivateAddresses: true,
  });
  const judge = (bytes: Uint8Array) =>
    verifyProof(
      {
        archive,
        original: (async function* () {
          yield bytes;
        })(),
        maxOriginalBytes: 2 ** 24,
        live,
      },
      nodePlatform,
    );
  const { outcome, checks } = await judge(original);
  if (outcome !== 'VALID')
    throw new Unexpected(
      `the verifier says ${outcome}: ${checks
        .filter(({ status }) => status !== 'PASS')
        .map(({ id, code }) => `${id} ${code}`)
        .join(', ')}`,
    );
  const altered = await judge(flip(original));
  if (altered.outcome !== 'INVALID') throw new Unexpected(`the verifier says ${altered.outcome} of an altered file`);
  return 'the proof is VALID, and INVALID for an altered file';
};

const flip = (bytes: Uint8Array): Buffer => {
  const altered = Buffer.from(bytes);
  const middle = altered.length >> 1;
  altered.writeUInt8(altered.readUInt8(middle) ^ 1, middle);
  return altered;
};

const damage: Step = async ({ app, client, fileId }) => {
  const { objects, database } = app.server;
  const check = () => client.call(checkIntegrity, { body: { level: 'FULL', fileId } });
  const before = await check();
  if (before.mismatchesFound + before.errorsEncountered > 0)
    throw new Unexpected('damage was found before there was any');
  const { path } = await database.db.selectFrom('stored_object').select('path').executeTakeFirstOrThrow();
  const blocks: Uint8Array[] = [];
  for await (const block of (await objects.get(path)).body) blocks.push(block);
  await objects.put(path, [flip(Buffer.concat(blocks))]);
  const { mismatchesFound } = await check();
  if (mismatchesFound !== 1) throw new Unexpected('one altered byte of a stored object was not found');
  return 'one altered byte of the stored object was found';
};

const remedy = 'Look into the other checks first; then run: recordproof-server doctor';

const steps: readonly (readonly [name: string, step: Step])[] = [
  ['store', store],
  ['prove', prove],
  ['verify', verify],
  ['damage', damage],
];

/** Steps in order: each needs the result of the one before. */
export async function checkEvidence(scratch: Scratch, signal: AbortSignal): Promise<Check[]> {
  await using opening = new AsyncDisposableStack();
  const checks: Check[] = [];
  let journey: Journey | undefined;
  for (const [name, step] of steps) {
    signal.throwIfAborted();
    const broken = checks.find(({ status }) => status !== 'ok');
    const work = async () => {
      if (broken) return skipped(`it needs "${checks.at(-1)?.name}"`);
      journey ??= await begin(scratch, opening);
      return ok(await step(journey));
    };
    checks.push(await runCheck(name, remedy, work));
  }
  return checks;
}

async function begin({ config, admin }: Scratch, opening: AsyncDisposableStack): Promise<Journey> {
  const app = opening.use(await openApp(config, { log: silentLog }));
  const { token } = await openClient({ baseUrl: app.url }).call(login, { body: admin });
  const client = openClient({ baseUrl: app.url, token: () => token });
  return { app, client, token, original: randomBytes(originalBytes), fileId: '', archive: new Uint8Array() };
}

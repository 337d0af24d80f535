// Objects of the authorization matrix, created over HTTP as users create them, and for each kind one that never
// existed.

import { randomBytes } from 'node:crypto';
import { createServiceAccount } from '@recordproof/shared/api/accounts.ts';
import { createAnnouncement, publishAnnouncement } from '@recordproof/shared/api/announcements.ts';
import { createApiToken } from '@recordproof/shared/api/api-tokens.ts';
import { listAuditLogs } from '@recordproof/shared/api/audit-review.ts';
import { startBackfill } from '@recordproof/shared/api/backfill.ts';
import { pauseUpload } from '@recordproof/shared/api/chunked-uploads.ts';
import { createDropLink } from '@recordproof/shared/api/drop-links.ts';
import type { StreamPayload } from '@recordproof/shared/api/events.ts';
import { shareWithFriend } from '@recordproof/shared/api/friend-shares.ts';
import { sendFriendRequest } from '@recordproof/shared/api/friends.ts';
import { imageDownloadPrefix, uploadImage } from '@recordproof/shared/api/images.ts';
import { listIntegrityAlerts } from '@recordproof/shared/api/integrity.ts';
import { createInvitation } from '@recordproof/shared/api/invitations.ts';
import {
  cancelKeyRotation,
  listKeyRotations,
  putKeyRotationPolicy,
  startKeyRotation,
} from '@recordproof/shared/api/key-rotation.ts';
import { sendMessage } from '@recordproof/shared/api/messages.ts';
import { createStream, putThumbnails, streamPrefix } from '@recordproof/shared/api/previews.ts';
import { listSessions } from '@recordproof/shared/api/sessions.ts';
import { takeCensus } from '@recordproof/shared/api/sweep.ts';
import { createTicket } from '@recordproof/shared/api/tickets.ts';
import { moveToTrash } from '@recordproof/shared/api/trash.ts';
import { createTrustRule } from '@recordproof/shared/api/workload-identity.ts';
import { raiseAlert } from '../../../server/src/features/integrity/index.ts';
import { localCall } from '../../../server/src/platform/call.ts';
import { Person, testPassword } from '../app.ts';
import { listen } from '../event-streams.ts';
import { accountOf } from '../events.ts';
import { befriend, idOf } from '../friends.ts';
import * as pictures from '../pictures.ts';
import { exportProof, openProof } from '../real-proofs.ts';
import { share } from '../shares.ts';
import { signForReading } from '../signed-addresses.ts';
import { sendDirect, sendFile, sendProxied, startDirect, storeTyped, toForm } from '../uploads.ts';
import type { Kind } from './entry.ts';
import type { Side, World } from './world.ts';

export const noId = '999999999';
const noHash = 'f'.repeat(64);

export const file: Kind<{ id: string; hash: string }> = {
  make: async ({ owner, mark }) => {
    const { data } = await sendFile(owner, randomBytes(100), `${mark}.txt`);
    return { id: data.fileId, hash: data.fileHash };
  },
  nonsense: { id: noId, hash: noHash },
};

/** With a thumbnail. */
export const picturedFile: typeof file = {
  make: async (side, world) => {
    const made = await file.make(side, world);
    const thumbnails = [{ fileHash: made.hash, image: pictures.png.toString('base64') }];
    await side.owner.call(putThumbnails, { body: { thumbnails } });
    return made;
  },
  nonsense: file.nonsense,
};

export const film: Kind<{ hash: string }> = {
  make: async ({ owner, mark }) => ({ hash: await storeTyped(owner, randomBytes(100), `${mark}.mp4`, 'video/mp4') }),
  nonsense: { hash: noHash },
};

export const playedFilm: Kind<{ ticket: string }> = {
  make: async (side, world) => {
    const { path } = await side.owner.call(createStream, { params: await film.make(side, world) });
    return { ticket: path.slice(streamPrefix.length) };
  },
  nonsense: { ticket: `4102444800000.1.1.0.1.${'A'.repeat(43)}` },
};

/** A folder with a file in it. */
export const folder: Kind<{ path: string }> = {
  make: async ({ owner, mark }, world) => {
    const path = `${mark}-${world.newName()}`;
    await sendFile(owner, randomBytes(100), `${mark}.txt`, { path });
    return { path };
  },
  nonsense: { path: 'never-was' },
};

export const trashedFile: Kind<{ hash: string }> = {
  make: async (side, world) => {
    const { hash } = await file.make(side, world);
    await side.owner.call(moveToTrash, { body: { fileHash: [hash] } });
    return { hash };
  },
  nonsense: { hash: noHash },
};

/** One whose name others may read. */
export const openFile: typeof file = {
  make: async ({ owner }) => {
    const { data } = await sendFile(owner, randomBytes(100), 'for-others.txt');
    return { id: data.fileId, hash: data.fileHash };
  },
  nonsense: file.nonsense,
};

export const provenFile: Kind<{ id: string }> = {
  make: async (side, world) => {
    const { id } = await file.make(side, world);
    await world.app.drain();
    return { id };
  },
  nonsense: { id: noId },
};

async function openReceipt(side: Side, world: World) {
  const { id } = await provenFile.make(side, world);
  return openProof(await exportProof(side.owner, id));
}

/** Objects made for earlier calls would ask for a second factor. */
export async function forgetPasskeys({ name }: Person, { app }: World): Promise<void> {
  const { userId } = await accountOf(app, name);
  await app.app.database.db.deleteFrom('passkey').where('user_id', '=', userId).execute();
}

/** A session of the owner, from a second sign-in. */
export const session: Kind<{ id: string }> = {
  make: async ({ owner }, world) => {
    await forgetPasskeys(owner, world);
    const again = new Person(owner.name, owner.baseUrl);
    await again.login(`${owner.name}@example.org`, testPassword);
    const current = (await again.call(listSessions)).find(one => one.current);
    return { id: current?.id ?? '' };
  },
  nonsense: { id: noId },
};

const noPasskey = { id: 'AA', rawId: 'AA', type: 'public-key' };
const noClientData = Buffer.from('{}').toString('base64url');
export const noAttestation = { ...noPasskey, response: { clientDataJSON: noClientData, attestationObject: 'AA' } };
export const noAssertion = {
  ...noPasskey,
  response: { clientDataJSON: noClientData, authenticatorData: 'AA', signature: 'AA' },
};

/** Only its row: no browser has uploaded it. */
export const passkey: Kind<{ id: string }> = {
  make: async ({ owner }, { app }) => {
    const account = await accountOf(app, owner.name);
    const row = await app.app.database.db
      .insertInto('passkey')
      .values({
        tenant_id: account.tenantId,
        user_id: account.userId,
        credential_id: randomBytes(16).toString('base64url'),
        public_key: 'AA',
        counter: 0,
        name: 'Key',
        created_at: app.clock.now(),
        last_used_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { id: String(row.id) };
  },
  nonsense: { id: noId },
};

export const proof: Kind<{ proofId: string; keyId: string; keyVersion: string }> = {
  make: async (side, world) => {
    const { manifest } = await openReceipt(side, world);
    const { keyId, keyVersion } = manifest.signature;
    return { proofId: manifest.proofId, keyId, keyVersion: String(keyVersion) };
  },
  nonsense: { proofId: `rp-proof-${noHash}`, keyId: 'nobody', keyVersion: '99' },
};

export const chainRoot: Kind<Record<'chainType' | 'chainId' | 'groupId' | 'contractAddress' | 'batchNo', string>> = {
  make: async (side, world) => {
    const { receipt } = await openReceipt(side, world);
    const { chainType, chainId, groupId, contractAddress } = receipt.contract;
    return { chainType, chainId, groupId, contractAddress, batchNo: receipt.batchNo };
  },
  nonsense: {
    chainType: 'LOCAL_LEDGER',
    chainId: '0'.repeat(16),
    groupId: 'default',
    contractAddress: `0x${'0'.repeat(40)}`,
    batchNo: 'MB-999999999',
  },
};

const upload = { chunkSize: 4096, bytes: randomBytes(100) };

/** All of its bytes have arrived; it is not completed. */
export const proxiedUpload: Kind<{ clientId: string }> = {
  make: async ({ owner, mark }) => ({ clientId: await sendProxied(owner, upload.bytes, { name: `${mark}.bin` }) }),
  nonsense: { clientId: 'no-such-upload' },
};

export const directUpload: Kind<{ clientId: string }> = {
  make: async ({ owner, mark }) => {
    const { clientId } = await sendDirect(owner, upload.bytes, { name: `${mark}.bin` });
    return { clientId };
  },
  nonsense: { clientId: 'no-such-upload' },
};

export const pausedUpload: Kind<{ clientId: string }> = {
  make: async (side, world) => {
    const upload = await proxiedUpload.make(side, world);
    await side.owner.call(pauseUpload, { body: upload });
    return upload;
  },
  nonsense: proxiedUpload.nonsense,
};

export const uploadBytes = upload.bytes;
export const chunkForm = (clientId: string): FormData =>
  toForm('chunk', uploadBytes, { clientId, chunkNumber: 0, totalChunks: 1 });

/** The query of a signed address. */
export const signedAddress: Kind<Record<string, string>> = {
  make: async ({ owner, mark }) => {
    const { parts } = await startDirect(owner, upload.bytes, { name: `${mark}.bin` });
    return Object.fromEntries(new URL(parts[0]?.uploadUrl ?? '').searchParams);
  },
  nonsense: { method: 'PUT', key: 'nothing', size: '100', expires: '4102444800', signature: 'A'.repeat(43) },
};

/** The query of an address signed for reading. */
export const readableAddress: Kind<Record<string, string>> = {
  make: async ({ owner, mark }, { app }) => {
    const { parts } = await sendDirect(owner, upload.bytes, { name: `${mark}.bin` });
    return Object.fromEntries(new URL(await signForReading(app, parts[0]?.storagePath ?? '')).searchParams);
  },
  nonsense: { ...signedAddress.nonsense, method: 'GET', size: '' },
};

export const picture: Kind<{ path: string }> = {
  make: async ({ owner }) => {
    const form = toForm('file', pictures.png, {}, {}, 'x.png');
    const response = await owner.fetch(uploadImage.path, { method: 'POST', body: form });
    const { data } = (await response.json()) as { data: { path: string } };
    return { path: data.path.slice(imageDownloadPrefix.length) };
  },
  nonsense: { path: `${'x'.repeat(22)}.png` },
};

export const account: Kind<{ id: string }> = {
  make: async (side, world) => {
    const { userId } = await accountOf(world.app, (await world.newcomer(side)).name);
    return { id: String(userId) };
  },
  nonsense: { id: noId },
};

/** An account that nobody signs in to. */
export const serviceAccount: Kind<{ id: string }> = {
  make: async ({ administrator }, world) => {
    const { id } = await administrator.call(createServiceAccount, { body: { username: world.newName() } });
    return { id };
  },
  nonsense: { id: noId },
};

export const newTrustRule = {
  ...{ name: 'jobs', issuer: 'https://git.example.org', audience: 'evidence', scopes: ['file:read' as const] },
  claims: [{ name: 'repository', pattern: 'acme/app' }],
};

export const trustRule: Kind<{ id: string; ruleId: string }> = {
  make: async (side, world) => {
    const params = await serviceAccount.make(side, world);
    const { id: ruleId } = await side.administrator.call(createTrustRule, { params, body: newTrustRule });
    return { ...params, ruleId };
  },
  nonsense: { id: noId, ruleId: noId },
};

/** Of the owner. */
export const token: Kind<{ id: string; accountId: string }> = {
  make: async ({ owner }, world) => {
    const body = { name: 'ci', scopes: ['file:read' as const] };
    const { apiToken } = await owner.call(createApiToken, { body });
    return { id: apiToken.id, accountId: String((await accountOf(world.app, owner.name)).userId) };
  },
  nonsense: { id: noId, accountId: noId },
};

/** With its code, as the invited person has it. */
export const invitation: Kind<{ id: string; invitation: string }> = {
  make: async ({ administrator }) => {
    const { invitation, link } = await administrator.call(createInvitation, { body: {} });
    return { id: invitation.id, invitation: /[0-9A-Za-z]{44}$/.exec(link ?? '')?.[0] ?? '' };
  },
  nonsense: { id: noId, invitation: 'x'.repeat(44) },
};

const noOne = `U${'x'.repeat(22)}`;

/** An account of the tenant, by its external id. */
export const somebody: Kind<{ externalId: string }> = {
  make: async (side, world) => ({ externalId: await idOf(await world.newcomer(side)) }),
  nonsense: { externalId: noOne },
};

/** A friend of the owner besides the caller, and a file for that friend. */
export const friendship: Kind<{ externalId: string; hash: string }> = {
  make: async (side, world) => {
    const friend = await world.newcomer(side);
    await befriend(side.owner, friend);
    return { externalId: await idOf(friend), hash: (await openFile.make(side, world)).hash };
  },
  nonsense: { externalId: noOne, hash: noHash },
};

export const receivedRequest: Kind<{ id: string }> = {
  make: async (side, world) => {
    const addresseeId = await idOf(side.owner);
    return (await world.newcomer(side)).call(sendFriendRequest, { body: { addresseeId } });
  },
  nonsense: { id: noId },
};

export const sentRequest: Kind<{ id: string }> = {
  make: async (side, world) => {
    const addresseeId = await idOf(await world.newcomer(side));
    return side.owner.call(sendFriendRequest, { body: { addresseeId } });
  },
  nonsense: { id: noId },
};

/** From the owner to the friend. */
export const friendShare: Kind<{ id: string; fileHash: string }> = {
  make: async (side, world) => {
    const { hash } = await openFile.make(side, world);
    const body = { friendId: await idOf(side.friend), fileHashes: [hash] };
    return { id: (await side.owner.call(shareWithFriend, { body })).id, fileHash: hash };
  },
  nonsense: { id: noId, fileHash: noHash },
};

export const message: Kind<{ id: string; conversationId: string }> = {
  make: async ({ owner, friend }) => {
    const body = { receiverId: await idOf(friend), content: 'hello', contentType: 'text' } as const;
    return owner.call(sendMessage, { body });
  },
  nonsense: { id: noId, conversationId: noId },
};

type Link = { code: string; fileHash: string };
const noLink: Link = { code: 'x'.repeat(12), fileHash: noHash };

export const dropLink: Kind<{ id: string; code: string }> = {
  make: side => side.owner.call(createDropLink, { body: { title: 'Papers' } }),
  nonsense: { id: noId, code: 'x'.repeat(22) },
};

export const publicShare: Kind<Link> = {
  make: async (side, world) => {
    const { hash } = await openFile.make(side, world);
    return { code: (await share(side.owner, hash)).shareCode, fileHash: hash };
  },
  nonsense: noLink,
};

export const picturedShare: Kind<Link> = {
  make: async (side, world) => {
    const { hash } = await picturedFile.make(side, world);
    return { code: (await share(side.owner, hash)).shareCode, fileHash: hash };
  },
  nonsense: noLink,
};

export const provenShare: Kind<Link> = {
  make: async (side, world) => {
    const link = await publicShare.make(side, world);
    await world.app.drain();
    return link;
  },
  nonsense: noLink,
};

export const privateShare: Kind<Link> = {
  make: async (side, world) => {
    const { hash } = await openFile.make(side, world);
    return { code: (await share(side.owner, hash, { shareType: 1 })).shareCode, fileHash: hash };
  },
  nonsense: noLink,
};

/** Its content is hidden from callers without the password. */
export const lockedShare: Kind<Link> = {
  make: async (side, world) => {
    const { hash } = await file.make(side, world);
    return { code: (await share(side.owner, hash, { password: 'open sesame' })).shareCode, fileHash: hash };
  },
  nonsense: noLink,
};

/** An existing account, for callers that only guess. */
export const login: Kind<{ username: string; email: string }> = {
  make: async (_side, world) => {
    const { name } = await world.spare('stranger');
    return { username: name, email: `${name}@example.org` };
  },
  /** Always a new one: failed tries are counted for unknown names, too. */
  get nonsense() {
    const username = `nobody-${randomBytes(6).toString('hex')}`;
    return { username, email: `${username}@example.org` };
  },
};

/** An open event stream. Ending one's own and ending a missing one are answered alike. */
export const stream: Kind<{ connectionId: string }> = {
  make: async ({ owner }, world) => {
    const listener = world.keep(await listen(owner));
    const { payload } = await listener.until('connected');
    return { connectionId: (payload as StreamPayload<'connected'>).connectionId };
  },
  nonsense: { connectionId: 'no-such-stream' },
};

export const ticket: Kind<{ id: string }> = {
  make: ({ owner, mark }) => owner.call(createTicket, { body: { title: `${mark} ticket`, content: mark } }),
  nonsense: { id: noId },
};

export const rotationPolicy = {
  expectedProvider: 'local',
  expectedProviderContract: 1,
  expectedProviderKeyVersion: '1',
  targetLogicalKeyVersion: 1,
};

export const cryptoChoices = {
  contentEncryptionSuite: 'RP-AES256-GCM-CHUNK-CHAIN-V1',
  envelopeSignatureSuite: 'UNSIGNED-V1',
  kemSuite: 'NONE-V1',
  proofSuite: 'RP-MERKLE-SHA256-V1',
  wrappingProvider: 'local',
  wrappingProviderContract: 1,
  signedProofSignatureSuite: 'JWS-EDDSA-ED25519-V1',
  signedProofSuite: 'RP-SIGNED-PROOF-ZIP-V2',
  signingProvider: 'local-ed25519',
  signingProviderContract: 1,
};

/** One run at a time: those before are over. */
export async function makeRoomForRun(administrator: Person): Promise<void> {
  await administrator.call(putKeyRotationPolicy, { body: rotationPolicy });
  const { records } = await administrator.call(listKeyRotations, { query: {} });
  for (const { runId, status } of records)
    if (status === 'PLANNED' || status === 'PAUSED') await administrator.call(cancelKeyRotation, { params: { runId } });
}

export const keyRotation: Kind<{ runId: string }> = {
  make: async ({ administrator }, world) => {
    await makeRoomForRun(administrator);
    return administrator.call(startKeyRotation, { body: { mode: 'DRY_RUN', requestId: world.newName() } });
  },
  nonsense: { runId: noId },
};

/** One run at a time: those before are over. */
export async function endBackfills({ app }: World): Promise<void> {
  const runs = app.app.database.db.updateTable('backfill_run');
  await runs.set({ status: 'FAILED', completed_at: 1 }).where('completed_at', 'is', null).execute();
}

/** A run that no worker processes, with an item that needs nothing. */
export const backfill: Kind<{ runId: string; itemId: string }> = {
  make: async (side, world) => {
    await endBackfills(world);
    const { id, hash } = await file.make(side, world);
    const { runId } = await side.administrator.call(startBackfill, { body: { mode: 'SCAN' } });
    const { db } = world.app.app.database;
    const run = db.selectFrom('backfill_run').select('tenant_id').where('id', '=', Number(runId));
    const item = {
      ...(await run.executeTakeFirstOrThrow()),
      run_id: Number(runId),
      file_id: Number(id),
      file_hash: hash,
      status: 'IGNORED' as const,
      attempts: 1,
      fence: 1,
      updated_at: 1,
    };
    const made = db.insertInto('backfill_item').values(item).returning('id');
    return { runId, itemId: String((await made.executeTakeFirstOrThrow()).id) };
  },
  nonsense: { runId: noId, itemId: noId },
};

/** About a file of the side, as a check would have raised it; the file itself is intact. */
export const integrityAlert: Kind<{ id: string }> = {
  make: async (side, world) => {
    const { id: fileId } = await file.make(side, world);
    const { database, clock } = world.app.app.server;
    const stored = database.db.selectFrom('file').select('tenant_id').where('id', '=', Number(fileId));
    const { tenant_id: tenantId } = await stored.executeTakeFirstOrThrow();
    const call = localCall('test', tenantId, clock.now());
    const finding = { alertType: 'OBJECT_NOT_FOUND', evidence: {} } as const;
    await database.db.transaction().execute(tx => raiseAlert(tx, call, Number(fileId), finding, clock.now()));
    const { records } = await side.administrator.call(listIntegrityAlerts, { query: { fileId } });
    return { id: records[0]?.id ?? '' };
  },
  nonsense: { id: noId },
};

export const census: Kind<{ censusId: string }> = {
  make: ({ administrator }) => administrator.call(takeCensus),
  nonsense: { censusId: noId },
};

/** A dead job of the side's tenant; no worker knows its kind. */
export const deadJob: Kind<{ id: string }> = {
  make: async ({ owner }, { app }) => {
    const { tenantId } = await accountOf(app, owner.name);
    const row = {
      kind: 'test.given-up',
      payload: JSON.stringify({ tenantId }),
      state: 'DEAD' as const,
      attempt: 1,
      fence: 1,
      created_at: app.clock.now(),
      tenant_id: tenantId,
    };
    const { db } = app.app.database;
    const { id } = await db.insertInto('job').values(row).returning('id').executeTakeFirstOrThrow();
    return { id: String(id) };
  },
  nonsense: { id: noId },
};

export const auditRow: Kind<{ id: string }> = {
  make: async ({ administrator }) => {
    const { records } = await administrator.call(listAuditLogs, { query: { size: 1 } });
    return { id: records[0]?.id ?? noId };
  },
  nonsense: { id: noId },
};

export const draft: Kind<{ id: string }> = {
  make: ({ administrator, mark }) =>
    administrator.call(createAnnouncement, { body: { title: `${mark} draft`, content: mark } }),
  nonsense: { id: noId },
};

/** One that may be published without revealing private data. */
export const openDraft: Kind<{ id: string }> = {
  make: ({ administrator }) =>
    administrator.call(createAnnouncement, { body: { title: 'for all', content: 'of the tenant' } }),
  nonsense: { id: noId },
};

export const publishedAnnouncement: Kind<{ id: string }> = {
  make: async (side, world) => {
    const { id } = await openDraft.make(side, world);
    return side.administrator.call(publishAnnouncement, { params: { id } });
  },
  nonsense: { id: noId },
};

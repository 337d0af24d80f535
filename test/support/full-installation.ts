// An installation with data of every kind: files uploaded in each way, versions, shares, friends, messages, tickets,
// announcements, proofs, alerts; a running key rotation and an unfinished upload.
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { createAnnouncement, publishAnnouncement } from '@recordproof/shared/api/announcements.ts';
import { deleteFile } from '@recordproof/shared/api/files.ts';
import { shareWithFriend } from '@recordproof/shared/api/friend-shares.ts';
import { checkIntegrity } from '@recordproof/shared/api/integrity.ts';
import { putKeyRotationPolicy } from '@recordproof/shared/api/key-rotation.ts';
import { sendMessage } from '@recordproof/shared/api/messages.ts';
import type { Person, TestApp } from './app.ts';
import { pattern } from './bytes.ts';
import { befriend, idOf } from './friends.ts';
import { objectOf } from './integrity-world.ts';
import { exportProof, laptop } from './real-proofs.ts';
import { beginRotation, masterKeysOf, rotating, toLocal } from './rotations.ts';
import { share } from './shares.ts';
import { openTicket, replyTo } from './tickets.ts';
import { completeDirect, sendDirect, sendFile, sendMany, sendProxied, storeProxied } from './uploads.ts';

/** The settings that the server has to be started with. */
export const fullSettings = { ...laptop, ...rotating } as const;

export type FullInstallation = {
  readonly alice: Person;
  /** Alice's stored files, by file hash. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly shareCode: string;
  readonly proof: { readonly archive: Buffer; readonly original: Buffer; readonly fileId: string };
  /** An upload that only has to be completed. */
  readonly unfinished: string;
};

export async function fillInstallation(app: TestApp): Promise<FullInstallation> {
  const [alice, bob] = [await app.person('alice'), await app.person('bob')];
  const root = await app.person('root', { role: 'admin' });
  await app.person('foreigner', { tenant: 'acme' });
  const files = new Map<string, Buffer>();
  const first = await pattern(9000, 3);
  const proxied = await storeProxied(alice, first, { name: 'encrypted.bin' });
  files.set(proxied.fileHash, first);
  const original = await pattern(300_000, 4);
  const large = await storeProxied(alice, original, { chunkSize: 65_536 });
  files.set(large.fileHash, original);
  const short = Buffer.from('in one call, with Umläute, 漢字 and \u0001 \\ " \b in it');
  files.set((await sendFile(alice, short, 'Umläute "漢字" \\.txt')).data.fileHash, short);
  await sendMany(alice, [{ bytes: Buffer.from('one of many') }, { bytes: Buffer.alloc(0) }]);
  const direct = await pattern(10_000, 5);
  const { clientId } = await sendDirect(alice, direct);
  files.set((await completeDirect(alice, clientId)).fileHash, direct);
  await storeProxied(alice, await pattern(500, 6), { targetFileId: proxied.fileId });
  const deleted = await sendFile(alice, Buffer.from('not for long'));
  await alice.call(deleteFile, { params: { hash: deleted.data.fileHash } });
  await people({ alice, bob, root }, proxied.fileHash);
  await app.drain();
  const archive = await exportProof(alice, large.fileId);
  const { shareCode } = await share(alice, proxied.fileHash, { expireMinutes: 60 * 24 });
  await raiseAlert(app, root, proxied.fileId);
  await rotate(app, root);
  const unfinished = await sendProxied(alice, Buffer.alloc(9000, 'u'), { chunkSize: 4096, name: 'unfinished.bin' });
  await app.drain();
  return { alice, files, shareCode, proof: { archive, original, fileId: large.fileId }, unfinished };
}

type People = { readonly alice: Person; readonly bob: Person; readonly root: Person };

async function people({ alice, bob, root }: People, fileHash: string): Promise<void> {
  await befriend(alice, bob);
  await alice.call(shareWithFriend, { body: { friendId: await idOf(bob), fileHashes: [fileHash], message: 'Look.' } });
  await alice.call(sendMessage, { body: { receiverId: await idOf(bob), content: 'Did you see it?' } });
  const { id } = await openTicket(alice);
  await replyTo(root, id);
  const notice = await root.call(createAnnouncement, { body: { title: 'Maintenance', content: 'Tonight.' } });
  await root.call(publishAnnouncement, { params: { id: notice.id } });
}

/** An alert about an object that exists again. */
async function raiseAlert(app: TestApp, root: Person, fileId: string): Promise<void> {
  const path = await objectOf(app, { fileId }, 0);
  const away = join(app.folder, 'away');
  await rename(path, away);
  await root.call(checkIntegrity, { body: { level: 'LIGHTWEIGHT', fileId } });
  await rename(away, path);
}

async function rotate(app: TestApp, root: Person): Promise<void> {
  const version = await (await masterKeysOf(app)).addVersion();
  await root.call(putKeyRotationPolicy, toLocal(version));
  await beginRotation(root, 'APPLY');
  await app.drain();
}

// Concurrent uploads, deletions, saves, reads and sweeps, on a server that is killed in the middle of it. Records all
// answers, and contradictions to them while the server lives.
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { deleteFile, downloadFile } from '@recordproof/shared/api/files.ts';
import { saveSharedFiles } from '@recordproof/shared/api/share-access.ts';
import * as api from '@recordproof/shared/api/sweep.ts';
import type { ObjectStore } from '../../server/src/platform/objects/object-store.ts';
import type { Person } from './app.ts';
import type { Child } from './child.ts';
import { leaveOrphan } from './orphans.ts';
import { share } from './shares.ts';
import { completeDirect, digestOf, sendDirect, sendFile, sendProxied, storeProxied } from './uploads.ts';

export type World = {
  /** The store of the server, with direct access for unreferenced objects. */
  readonly objects: ObjectStore;
  readonly tenantId: number;
  /** The contents of the records that were acknowledged and not deleted. */
  readonly stored: Map<string, string>;
  /** Acknowledged facts that no longer hold, without an excuse. */
  readonly broken: string[];
  readonly counts: { operations: number; uploads: number; deletions: number; readBefore: number };
};

type People = { readonly alice: Person; readonly bob: Person };
type Fire = World & People & { isKilled: boolean };

const lanes = 4;
const chunkSize = 1000;
/** Repeated contents, uploaded while the objects of their predecessors are being purged. */
const recurring = Array.from({ length: 6 }, (_, nth) => Buffer.alloc(1500 + nth, nth));

const pick = <T>(all: readonly T[]): T | undefined => all[randomInt(Math.max(1, all.length))];

function note({ stored, counts }: Fire, fileHash: string, bytes: Uint8Array): void {
  stored.set(fileHash, digestOf(bytes));
  counts.uploads += 1;
}

async function uploadSealed(fire: Fire): Promise<void> {
  const bytes = randomBytes(randomInt(1, 6000));
  if (randomInt(2) === 0) {
    const { status, message, data } = await sendFile(fire.alice, bytes);
    if (data) note(fire, data.fileHash, bytes);
    else if (status === 500) throw new ApiError('INTERNAL', message);
    return;
  }
  const { fileHash } = await storeProxied(fire.alice, bytes, { chunkSize: 2000 });
  note(fire, fileHash, bytes);
}

async function uploadRecurring(fire: Fire): Promise<void> {
  const bytes = pick(recurring) ?? Buffer.alloc(1);
  const { clientId } = await sendDirect(fire.alice, bytes, { chunkSize });
  const { fileHash } = await completeDirect(fire.alice, clientId);
  note(fire, fileHash, bytes);
}

/** Read once more before its deletion: afterwards it could not be checked whether it was whole until then. */
async function remove(fire: Fire): Promise<void> {
  const { stored, counts, alice } = fire;
  const [hash, digest] = pick([...stored]) ?? [];
  if (hash === undefined || digest === undefined || !stored.delete(hash)) return;
  const read = await download(alice, hash).catch((error: unknown) => error);
  if (read !== digest && !fire.isKilled && !isBusy(read)) fire.broken.push(`${hash} was read as ${String(read)}`);
  counts.readBefore += 1;
  await alice.call(deleteFile, { params: { hash } });
  counts.deletions += 1;
}

async function save({ stored, alice, bob }: Fire): Promise<void> {
  const hash = pick([...stored.keys()].slice(-50));
  if (hash === undefined) return;
  const { shareCode: code } = await share(alice, hash);
  await bob.call(saveSharedFiles, { params: { code } });
}

/** Objects that a census calls unreferenced may be claimed, found and needed by others at the same time. */
async function sweep({ alice }: Fire): Promise<void> {
  await alice.call(api.takeCensus);
  const { census } = await alice.call(api.getSweepStatus);
  if (census?.state !== 'COMPLETED') return;
  const { records } = await alice.call(api.listCandidates, { params: { censusId: census.censusId } });
  for (const candidate of records) await markIfAny(alice, candidate);
}

export const markIfAny = (alice: Person, { storagePath, cipherHash }: api.SweepCandidate) =>
  alice.call(api.markObject, { body: { storagePath, cipherHash } }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || isFault(error)) throw error;
  });

const leave = async ({ objects, tenantId }: Fire): Promise<void> => {
  await leaveOrphan(objects, tenantId, pick(['tenant', 'short', 'staging'] as const));
};

const abandon = async ({ alice }: Fire): Promise<void> => {
  await sendProxied(alice, randomBytes(4000), { chunkSize: 2000 });
};

const acts = [
  ...[uploadSealed, uploadSealed, uploadSealed, uploadRecurring, uploadRecurring],
  ...[remove, remove, remove, remove, save, sweep, leave, abandon],
];

export async function download(person: Person, hash: string): Promise<string> {
  const response = await person.client.open(downloadFile, { params: { hash } });
  return digestOf(new Uint8Array(await response.arrayBuffer()));
}

const isBusy = (error: unknown): boolean => error instanceof ApiError && error.status === 503;
const isFault = (error: unknown): boolean => error instanceof ApiError && error.status === 500;

/** One server lifetime, which ends by a kill in the middle of it all. */
export async function burn(world: World, people: People, child: Child, operations: number): Promise<void> {
  const fire: Fire = { ...world, ...people, isKilled: false };
  let done = 0;
  const lane = async () => {
    while (!fire.isKilled && done < operations) {
      const act = pick(acts) ?? leave;
      await act(fire).catch((error: unknown) => {
        if (isFault(error)) fire.broken.push(`${act.name}: ${String(error)}`);
      });
      done += 1;
    }
  };
  const strike = async () => {
    while (done < operations * 0.9) await pause(5);
    fire.isKilled = true;
    await child.kill();
  };
  void child.ended.then(how => fire.isKilled || fire.broken.push(`the server ended by itself: ${how}`));
  await Promise.all([strike(), ...Array.from({ length: lanes }, lane)]);
  world.counts.operations += done;
}

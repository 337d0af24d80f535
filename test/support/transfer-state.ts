// The state of the small server of transfer-server.ts: upload sessions and files, by the contract's rules.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { File } from '@recordproof/shared/api/files.ts';
import type * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import * as uploads from '@recordproof/shared/api/uploads.ts';
import type { z } from 'zod';

export type Part = { readonly size: number; readonly hash: string; readonly path: string };

export type Session = {
  readonly clientId: string;
  readonly direct: boolean;
  readonly plan: { fileName: string; fileSize: number; chunkSize: number; totalChunks: number; contentType: string };
  readonly folder: string | null;
  readonly targetFileId: string | undefined;
  readonly contentHash: string | undefined;
  readonly announced: Map<number, { size: number; hash: string }>;
  readonly stored: Map<number, Part>;
  status: uploads.UploadStatus;
  result?: uploads.UploadResult;
};

export type Stored = { view: File; parts: Part[]; manifest: string };

export type State = { readonly sessions: Map<string, Session>; readonly files: Map<string, Stored> };

type Plan = z.output<NonNullable<typeof sessionApi.createUploadSession.body>>;

const hex = (input: string): string => createHash('sha256').update(input).digest('hex');

async function wholeHash(parts: readonly Part[]): Promise<string> {
  const hash = createHash('sha256');
  for (const part of parts) for await (const block of createReadStream(part.path)) hash.update(block as Buffer);
  return `sha256:${hash.digest('hex')}`;
}

/** Canonical JSON, as far as these manifests need it: members in order, no spaces. */
function toManifest(fileHash: string, chunkSize: number, totalSize: number, parts: readonly Part[]) {
  const chunks = parts.map(({ size, hash }, index) => ({
    checksumAlgorithm: 'SHA-256',
    cipherHash: hash,
    index,
    plainHash: hash,
    size,
    storageBackend: 'DISK',
    storagePath: `objects/${hash.slice(7)}`,
  }));
  const head = { chunkSize, chunks, encryptionAlgorithm: 'NONE', fileHash, hashAlgorithm: 'SHA-256' };
  const tail = { schema: directApi.manifestSchemaId, storageBackend: 'DISK', totalSize };
  const manifestHash = `sha256:${hex(JSON.stringify({ ...head, ...tail }))}`;
  return { manifestHash, json: JSON.stringify({ ...head, manifestHash, ...tail }) };
}

export function getSession(state: State, clientId: string | undefined): Session {
  const session = state.sessions.get(clientId ?? '');
  if (!session) throw new ApiError('UPLOAD_SESSION_NOT_FOUND');
  return session;
}

export function assertOpen(session: Session): void {
  if (session.status !== 'UPLOADING') throw new ApiError('CONFLICT', `the upload is ${session.status}`);
}

export function getStored(state: State, hash: string | undefined): Stored {
  const stored = state.files.get(hash ?? '');
  if (!stored) throw new ApiError('FILE_NOT_EXIST');
  return stored;
}

export function startSession(state: State, body: Plan, direct: boolean): Session {
  const { fileName, fileSize, contentType, targetFileId, contentHash, path: folder = null } = body;
  const chunkSize = body.chunkSize ?? uploads.recommendChunkSize(fileSize);
  const plan = { fileName, fileSize, chunkSize, contentType, totalChunks: uploads.countChunks(fileSize, chunkSize) };
  if ((body.totalChunks ?? plan.totalChunks) !== plan.totalChunks) throw new ApiError('PARAM_IS_INVALID');
  const clientId = body.clientId ?? crypto.randomUUID();
  const known = state.sessions.get(clientId);
  if (known) {
    const before = JSON.stringify([known.plan, known.targetFileId, known.contentHash]);
    if (before !== JSON.stringify([plan, targetFileId, contentHash])) throw new ApiError('CONFLICT', 'another plan');
    assertOpen(known);
    return known;
  }
  if (targetFileId && ![...state.files.values()].some(({ view }) => view.id === targetFileId))
    throw new ApiError('VERSION_SOURCE_INVALID');
  const empty = { announced: new Map(), stored: new Map() };
  const session: Session = { clientId, direct, plan, folder, targetFileId, contentHash, status: 'UPLOADING', ...empty };
  state.sessions.set(clientId, session);
  return session;
}

export function announcePart(session: Session, part: { index: number; size: number; plainHash: string }): void {
  const { fileSize, chunkSize, totalChunks } = session.plan;
  if (part.index >= totalChunks || part.size !== uploads.chunkLength(fileSize, chunkSize, part.index))
    throw new ApiError('PARAM_IS_INVALID', `part ${part.index} does not fit the plan`);
  const before = session.announced.get(part.index);
  if (before && before.hash !== part.plainHash)
    throw new ApiError('CONFLICT', `part ${part.index} was announced with another hash`);
  session.announced.set(part.index, { size: part.size, hash: part.plainHash });
}

function fail(session: Session, why: string): never {
  session.status = 'FAILED';
  throw new ApiError('FILE_UPLOAD_ERROR', why);
}

export async function completeSession(state: State, session: Session): Promise<uploads.UploadResult> {
  if (session.result) return session.result;
  assertOpen(session);
  const { totalChunks, chunkSize, fileSize, fileName, contentType } = session.plan;
  const parts = Array.from({ length: totalChunks }, (_none, index) => session.stored.get(index));
  if (!parts.every(part => part !== undefined)) throw new ApiError('CONFLICT', 'parts are missing');
  if (session.direct && parts.some((part, index) => part.hash !== session.announced.get(index)?.hash))
    fail(session, 'a part has other bytes than were announced');
  const contentHash = await wholeHash(parts);
  if ((session.contentHash ?? contentHash) !== contentHash) fail(session, 'the file has another hash than declared');
  const target = [...state.files.values()].find(({ view }) => view.id === session.targetFileId);
  if (target) target.view = { ...target.view, isLatest: false };
  const id = String(state.files.size + 1);
  const fileHash = hex(`record ${session.clientId}`);
  const { manifestHash, json } = toManifest(fileHash, chunkSize, fileSize, parts);
  const version = (target?.view.version ?? 0) + 1;
  const recorded = { fileHash, contentHash, manifestHash, version, transactionHash: `0x${hex(fileHash)}` };
  const chain = { versionGroupId: target?.view.versionGroupId ?? id, parentVersionId: target?.view.id ?? null };
  const owner = { ownerName: 'alice', originOwnerName: null, sharedFromUserName: null };
  const view: File = {
    ...{ id, fileName, path: session.folder, fileSize, contentType, ...recorded, ...chain, ...owner },
    ...{ status: 1, isLatest: true, proofStatus: 'NONE', createdAt: '2026-01-31T12:00:00.000Z' },
  };
  state.files.set(fileHash, { view, parts, manifest: json });
  session.status = 'COMPLETED';
  session.result = { clientId: session.clientId, fileId: id, ...recorded, status: 'SUCCESS' };
  return session.result;
}

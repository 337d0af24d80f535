// The endpoints of files and uploads over the state of transfer-state.ts, as plain functions.
import { me } from '@recordproof/shared/api/auth.ts';
import * as chunkedApi from '@recordproof/shared/api/chunked-uploads.ts';
import * as directApi from '@recordproof/shared/api/direct-uploads.ts';
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import * as files from '@recordproof/shared/api/files.ts';
import { listFolderFiles } from '@recordproof/shared/api/folders.ts';
import { downloadMetadata } from '@recordproof/shared/api/manifests.ts';
import * as sessionApi from '@recordproof/shared/api/upload-sessions.ts';
import type * as uploads from '@recordproof/shared/api/uploads.ts';
import type { z } from 'zod';
import { announcePart, completeSession, getSession, getStored, type Session, type State, startSession } from './transfer-state.ts'; // biome-ignore format: one line

export type Call = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
};
export type Handler = (call: Call) => unknown;

type BodyOf<E extends AnyEndpoint> = z.output<NonNullable<E['body']>>;

const toProgress = (session: Session) => {
  const { clientId, status, plan, stored } = session;
  const { fileName, fileSize, totalChunks } = plan;
  const progress = (100 * stored.size) / totalChunks;
  const uploadedChunks = [...stored.keys()];
  return { clientId, fileName, fileSize, status, paused: status === 'PAUSED', progress, uploadedChunks, totalChunks };
};

const toListed = ({ clientId, plan, status, direct, stored }: Session) => ({
  ...{ clientId, fileName: plan.fileName, fileSize: plan.fileSize, status, direct },
  ...{ uploadedChunkCount: stored.size, totalChunks: plan.totalChunks },
  ...{ createdAt: '2026-01-31T12:00:00.000Z', expiresAt: '2026-02-02T12:00:00.000Z' },
});

export type SignPart = (session: Session, index: number) => { uploadUrl: string; headers: Record<string, string> };

function uploadEndpoints(state: State, signPart: SignPart): [AnyEndpoint, Handler][] {
  const toSigned = (session: Session, index: number) => {
    const { size, hash } = session.announced.get(index) ?? { size: 0, hash: '' };
    const times = { expiresAtEpochSeconds: 4_000_000_000, uploaded: session.stored.has(index) };
    const hashes = { plainHash: hash, cipherHash: hash, storagePath: `staging/${index}` };
    return { index, size, ...signPart(session, index), ...times, ...hashes };
  };
  const start: Handler = ({ body }) => {
    const plan = body as BodyOf<typeof directApi.startDirectUpload>;
    const resumed = state.sessions.has(plan.clientId ?? '');
    const session = startSession(state, plan, true);
    for (const part of plan.parts) announcePart(session, part);
    const { chunkSize, totalChunks } = session.plan;
    const parts = plan.parts.map(({ index }) => toSigned(session, index));
    const head = { clientId: session.clientId, chunkSize, totalChunks, resumed };
    return { ...head, manifestSchemaId: directApi.manifestSchemaId, parts };
  };
  const completeDirect: Handler = ({ params, body }) => {
    const session = getSession(state, params.clientId);
    for (const { index, eTag } of (body as BodyOf<typeof directApi.completeDirectUpload>).parts) {
      if (session.stored.get(index)?.hash.slice(7, 39) !== eTag.replaceAll('"', ''))
        throw new ApiError('PARAM_IS_INVALID', `part ${index} has another ETag`);
    }
    return completeSession(state, session);
  };
  const create: Handler = ({ body }) => {
    const plan = body as BodyOf<typeof sessionApi.createUploadSession>;
    const resumed = state.sessions.has(plan.clientId ?? '');
    const { clientId, plan: agreed, stored } = startSession(state, plan, false);
    const { chunkSize, totalChunks } = agreed;
    const uploadedChunks = [...stored.keys()];
    return { clientId, chunkSize, totalChunks, singleChunk: totalChunks === 1, uploadedChunks, resumed };
  };
  const move =
    (from: readonly string[], to: uploads.UploadStatus): Handler =>
    ({ body }) => {
      const session = getSession(state, (body as { clientId: string }).clientId);
      if (!from.includes(session.status)) throw new ApiError('CONFLICT', `the upload is ${session.status}`);
      session.status = to;
      return { clientId: session.clientId, status: to };
    };
  const abort: Handler = ({ params }) => {
    getSession(state, params.clientId).status = 'CANCELLED';
    return null;
  };
  const isUnfinished = ({ status }: Session) => status !== 'COMPLETED' && status !== 'CANCELLED';
  return [
    [directApi.startDirectUpload, start],
    [directApi.completeDirectUpload, completeDirect],
    [directApi.abortDirectUpload, abort],
    [sessionApi.createUploadSession, create],
    [sessionApi.completeUploadSession, ({ params }) => completeSession(state, getSession(state, params.clientId))],
    [chunkedApi.pauseUpload, move(['UPLOADING'], 'PAUSED')],
    [chunkedApi.resumeUpload, move(['PAUSED'], 'UPLOADING')],
    [chunkedApi.cancelUpload, move(['UPLOADING', 'PAUSED'], 'CANCELLED')],
    [chunkedApi.checkUpload, ({ query }) => toProgress(getSession(state, query.clientId))],
    [sessionApi.listUploads, () => [...state.sessions.values()].filter(isUnfinished).map(toListed)],
  ];
}

function fileEndpoints(state: State): [AnyEndpoint, Handler][] {
  const views = (): files.File[] => [...state.files.values()].map(({ view }) => view);
  const page = (records: files.File[]) => ({ records, total: records.length, current: 1, size: 100, pages: 1 });
  const latest = (): files.File[] => views().filter(view => view.isLatest);
  const below: Handler = ({ query: { path = '' } }) => ({
    records: latest().filter(view => path === '' || view.path === path || view.path?.startsWith(`${path}/`)),
    nextCursor: null,
  });
  const quotaUsage = { usedBytes: 1024, maxBytes: 4096, usedFiles: 1, maxFiles: 4, trashBytes: 0, trashFiles: 0 };
  const search: Handler = ({ query: { keyword = '', keywordMode, startTime, endTime } }) => {
    const isInTime = ({ createdAt }: files.File): boolean =>
      !(startTime && Date.parse(createdAt) < Date.parse(startTime)) &&
      !(endTime && Date.parse(createdAt) > Date.parse(endTime));
    const isMeant = ({ id, fileHash, fileName, contentHash }: files.File): boolean =>
      keywordMode === 'REFERENCE'
        ? id === keyword || fileHash.startsWith(keyword) || fileName.toLowerCase() === keyword.toLowerCase()
        : fileName.includes(keyword) || contentHash === `sha256:${keyword}`;
    return page(latest().filter(view => isMeant(view) && isInTime(view)));
  };
  const metadata: Handler = ({ params }) => ({
    canonicalManifestJson: getStored(state, params.fileHash).manifest,
    ...{ manifestStatus: 'ACTIVE', manifestClassification: 'ALREADY_MANIFEST' },
    ...{ manifestErrorCode: null, legacyDownloadAllowed: false },
  });
  const versions: Handler = ({ params }) => {
    const group = views().find(view => view.id === params.id)?.versionGroupId;
    return views().filter(view => view.versionGroupId === group).reverse(); // biome-ignore format: one line
  };
  const remove: Handler = ({ params }) => {
    getStored(state, params.hash);
    state.files.delete(params.hash ?? '');
    return null;
  };
  const profile = { externalId: `U${'a'.repeat(22)}`, username: 'alice', email: 'alice@example.org', role: 'user' };
  const more = { nickname: null, avatar: null, registerTime: '2026-01-31T12:00:00.000Z', permissions: ['file:read'] };
  return [
    [me, () => ({ ...profile, ...more })],
    [files.listFiles, () => page(latest())],
    [listFolderFiles, below],
    [files.searchFiles, search],
    [files.fileStats, () => ({ totalFiles: state.files.size, totalStorage: 1, sharedFiles: 0, todayUploads: 1 })],
    [files.fileQuota, () => ({ mode: 'ENFORCE', user: quotaUsage, tenant: quotaUsage })],
    [files.listVersions, versions],
    [downloadMetadata, metadata],
    [files.getFile, ({ params }) => getStored(state, params.hash).view],
    [files.deleteFile, remove],
  ];
}

export const toEndpoints = (state: State, signPart: SignPart): [AnyEndpoint, Handler][] => [
  ...uploadEndpoints(state, signPart),
  ...fileEndpoints(state),
];

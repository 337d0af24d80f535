// Schemas of the data that passes between the processes. The types of the bridge derive from them.
import { roles } from '@recordproof/shared/api/auth.ts';
import { permissions } from '@recordproof/shared/api/endpoint.ts';
import { mostZippedFiles } from '@recordproof/shared/api/folders.ts';
import { imageTypes } from '@recordproof/shared/api/images.ts';
import type { Progress } from '@recordproof/shared/transfer/progress.ts';
import { z } from 'zod';
import { noticeKinds } from '../bridge/notices.ts';

export const account = z.object({
  externalId: z.string(),
  username: z.string(),
  signInName: z.string().optional(),
  nickname: z.string().nullable(),
  email: z.string(),
  role: z.enum(roles),
  permissions: z.array(z.enum(permissions)).readonly(),
});

/**
 * `ended`: there was a session, and the server has ended it. `unreachable`: there may be one, the server does not
 * answer.
 */
export const sessionState = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('restoring') }),
  z.object({ kind: z.literal('signed-out'), ended: z.boolean() }),
  z.object({ kind: z.literal('unreachable') }),
  z.object({ kind: z.literal('signed-in'), account }),
]);

export const feedState = z.enum(['off', 'connecting', 'live', 'waiting']);

export const progress: z.ZodType<Progress> = z
  .object({
    phase: z.enum(['hashing', 'sending', 'finishing', 'receiving', 'verifying', 'done']),
    totalBytes: z.number(),
    bytesHashed: z.number(),
    bytesMoved: z.number(),
    bytesPerSecond: z.number(),
    etaSeconds: z.number().optional(),
    retries: z.number(),
  })
  .transform(value => ({ ...value, etaSeconds: value.etaSeconds }));

/** A failure as it can be stored: the kind of an ApiError, else the failure of a transport or transfer error. */
export const failure = z.object({ code: z.string(), message: z.string(), traceId: z.string().exactOptional() });

/** A download that the browser itself continues: the app does not know when it ends. */
const isHandedOver = z.boolean().optional();

/** `needs-file`: `supply` the file again, or `resume` where the person only has to allow it. */
export const transferState = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('waiting') }),
  z.object({ kind: z.literal('running') }),
  z.object({ kind: z.literal('paused') }),
  z.object({ kind: z.literal('needs-file'), mayAsk: z.boolean() }),
  z.object({ kind: z.literal('failed'), reason: failure }),
  z.object({ kind: z.literal('done'), fileHash: z.string().nullable(), isHandedOver }),
]);

/** How a run of a transfer ends. `rejected`: those of a set that failed, each by its index. */
export const outcome = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('done'),
    fileHash: z.string().nullable(),
    verified: z.boolean(),
    rejected: z.array(z.object({ at: z.int().min(0), failure })).readonly(),
    isHandedOver,
  }),
  z.object({ kind: z.literal('paused') }),
  z.object({ kind: z.literal('cancelled') }),
  z.object({ kind: z.literal('failed'), failure }),
]);

const text = z.string().max(4096);
export const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be a hash');

/** `proof`: the archive and its vouchers as separate files. `evidence`: all of them in one file. */
export const proofForm = z.enum(['proof', 'evidence']).default('proof');

const zipContent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), path: text }),
  z.object({ kind: z.literal('files'), fileHash: z.array(hash).min(1).max(mostZippedFiles) }),
]);

const ownFile = z.object({ kind: z.literal('file'), fileHash: hash });
const friendFile = z.object({ kind: z.literal('friend-file'), shareId: text, fileHash: hash });
/** `grant`: proof that the share was opened; without a valid one the share is opened again. */
const sharedFile = z.object({
  kind: z.literal('shared-file'),
  code: text,
  fileHash: hash,
  grant: z.string().max(256).nullable(),
});

/** Where the bytes of a file are. */
export const fileSource = z.discriminatedUnion('kind', [ownFile, friendFile, sharedFile]);

const named = { fileName: text, size: z.number() };

/** What a download fetches. */
export const downloadRequest = z.discriminatedUnion('kind', [
  ownFile.extend(named),
  friendFile.extend(named),
  sharedFile.extend(named),
  z.object({ kind: z.literal('proof'), fileId: text, fileName: text, form: proofForm }),
  /** `size`: of its files, 0 where it is not known. */
  z.object({ kind: z.literal('zip'), content: zipContent, fileName: text, size: z.number() }),
]);

/** In another tab of the same browser. */
const elsewhere = z.boolean().optional();

/**
 * Small files that are sent in one request are one upload: `fileName` is that of the first, `size` of all, `folder`
 * holds all.
 */
export const upload = z.object({
  id: z.string(),
  fileName: z.string(),
  folder: z.string().nullable(),
  files: z.number(),
  size: z.number(),
  targetFileId: z.string().nullable(),
  state: transferState,
  progress: progress.nullable(),
  elsewhere,
});

/** `verified`: every chunk matched its hash in the manifest, and the whole file the one of its record. */
export const download = z.object({
  id: z.string(),
  wanted: downloadRequest,
  state: transferState,
  progress: progress.nullable(),
  verified: z.boolean(),
  elsewhere,
});

export const savedServer = z.object({
  id: z.string(),
  url: z.string(),
  username: z.string().nullable(),
  isCurrent: z.boolean(),
});

export const picture = z.object({
  type: z.enum(imageTypes),
  bytes: z.instanceof(Uint8Array<ArrayBuffer>),
});

export const noticeSettings = z.object({
  isOn: z.boolean(),
  silent: z.array(z.enum(noticeKinds)).max(noticeKinds.length).readonly(),
});

/** Without `closesToTray` the app quits with its window; transfers continue at the next start. */
export const shellSettings = z.object({
  startsWithSystem: z.boolean(),
  notices: noticeSettings,
  closesToTray: z.boolean(),
  language: z.enum(['en', 'zh']),
});

export const deepLink = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('share'), code: z.string() }),
  z.object({ kind: z.literal('verify') }),
]);

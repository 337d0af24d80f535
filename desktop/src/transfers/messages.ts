// Messages between the program and the process that moves files. That process stores no account: it asks for each token.
import { z } from 'zod';
import { downloadRequest, outcome, progress } from '../ipc/shapes.ts';

export const job = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('upload'),
    path: z.string(),
    folder: z.string().nullable(),
    targetFileId: z.string().nullable(),
  }),
  z.object({
    /** Small files that share a request. */
    kind: z.literal('upload-set'),
    files: z.array(z.object({ path: z.string(), folder: z.string().nullable(), size: z.number() })).min(1),
  }),
  z.object({ kind: z.literal('download'), target: z.string(), wanted: downloadRequest }),
]);
export type Job = z.infer<typeof job>;

const proxies = z
  .object({ http: z.string().optional(), https: z.string().optional(), none: z.string() })
  .transform(({ http, https, none }) => ({ http, https, none }));

export const toWorker = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('open'),
    proxies,
    userAgent: z.string(),
    /** Folder of the journals. */
    notes: z.string(),
  }),
  z.object({ kind: z.literal('start'), id: z.string(), account: z.string(), baseUrl: z.string(), job }),
  /** `cancel` also undoes what was done, here and at the server. */
  z.object({ kind: z.literal('stop'), id: z.string(), mode: z.enum(['pause', 'cancel']) }),
  z.object({ kind: z.literal('token'), question: z.number(), token: z.string().optional() }),
  /** Ends the process after its runs have stopped. */
  z.object({ kind: z.literal('close') }),
]);
export type ToWorker = z.input<typeof toWorker>;

export const fromWorker = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('token'), question: z.number(), account: z.string() }),
  z.object({ kind: z.literal('progress'), id: z.string(), progress }),
  z.object({ kind: z.literal('ended'), id: z.string(), outcome }),
]);
export type FromWorker = z.input<typeof fromWorker>;

// Drop links: anonymous uploads into a folder of the owner. The calls of the owner; values of all drop links.
import { z } from 'zod';
import { isoTime, pageOf, pageQuery, plainText, recordId, textInLines } from './common.ts';
import { endpoint } from './endpoint.ts';
import { contentHash, fileHash, proofStatuses } from './files.ts';
import { misleadingCharacters, newFolderPath } from './folders.ts';
import { sharePassword } from './shares.ts';

const GiB = 2 ** 30;

export const dropStates = ['OPEN', 'FULL', 'EXPIRED', 'CLOSED'] as const;
export type DropState = (typeof dropStates)[number];

const dropFieldKinds = ['NAME', 'MAIL', 'TEXT'] as const;
const mostDropFields = 10;
export const mostDropLinks = 1000;
export const mostDropFiles = 10_000;
export const maxDropMinutes = 527_040;

/** The path of the public page; the code follows. */
export const dropPagePrefix = '/d/';
export const dropCodePattern = /^[0-9A-Za-z]{22}$/;

export const oneLine = (maxCharacters: number) =>
  plainText(maxCharacters).refine(text => !misleadingCharacters.test(text), 'must not hold characters that turn text');

const field = z.object({
  label: oneLine(60),
  kind: z.enum(dropFieldKinds).default('TEXT'),
  required: z.boolean().default(true),
});
export type DropField = z.infer<typeof field>;

export const dropFields = z
  .array(field)
  .max(mostDropFields)
  .refine(
    list => new Set(list.map(({ label }) => label)).size === list.length,
    'must not hold the same label more than once',
  )
  .meta({ description: 'what a sender fills in' });

const terms = z.object({
  title: oneLine(100),
  message: textInLines(2000).nullable(),
  expireMinutes: z.int().min(1).max(maxDropMinutes).meta({ description: 'from now on' }),
  password: sharePassword.nullable(),
  maxFiles: z.int().min(1).max(mostDropFiles),
  maxBytes: z
    .int()
    .min(1)
    .max(2 ** 50)
    .meta({ description: 'of all files together' }),
  maxFileBytes: z
    .int()
    .min(1)
    .max(2 ** 50)
    .meta({ description: 'of one file' }),
  maxFilesPerAddress: z
    .int()
    .min(1)
    .max(mostDropFiles)
    .meta({ description: 'from one IPv4 address or IPv6 /64 network' }),
});

const dropLink = terms.omit({ expireMinutes: true, password: true }).extend({
  id: recordId,
  code: z.string().meta({ description: `the page for senders is ${dropPagePrefix}{code}` }),
  state: z.enum(dropStates),
  path: z.string().nullable().meta({ description: 'the folder that files arrive in; null at the top level' }),
  fields: dropFields,
  hasPassword: z.boolean(),
  expireTime: isoTime,
  arrivedFiles: z.int().min(0),
  arrivedBytes: z.int().min(0),
  createdAt: isoTime,
});
export type DropLink = z.infer<typeof dropLink>;

export const createDropLink = endpoint('createDropLink', {
  feature: 'drop-links',
  method: 'POST',
  path: '/api/v1/files/drop-links',
  summary: 'Ask for files: create a drop link into an own folder',
  description: `Anyone who has the link can send files, which count as the owner's. At most ${mostDropLinks.toLocaleString('en')} links. A password is kept as a hash only.`,
  access: 'file:share',
  folderScope: { folder: 'body.path' },
  rate: 'other',
  body: z.object({
    title: terms.shape.title,
    message: terms.shape.message.default(null),
    path: newFolderPath.optional(),
    fields: dropFields.default([]),
    expireMinutes: terms.shape.expireMinutes.default(20_160),
    password: sharePassword.optional(),
    maxFiles: terms.shape.maxFiles.default(1000),
    maxBytes: terms.shape.maxBytes.default(10 * GiB),
    maxFileBytes: terms.shape.maxFileBytes.default(10 * GiB),
    maxFilesPerAddress: terms.shape.maxFilesPerAddress.default(200),
  }),
  answer: dropLink,
  errors: ['CONFLICT'],
});

export const listDropLinks = endpoint('listDropLinks', {
  feature: 'drop-links',
  method: 'GET',
  path: '/api/v1/files/drop-links',
  summary: 'List own drop links, the newest first',
  access: 'file:read',
  rate: 'other',
  query: pageQuery(['createdAt']),
  answer: pageOf(dropLink),
});

const byId = z.object({ id: recordId });

export const getDropLink = endpoint('getDropLink', {
  feature: 'drop-links',
  method: 'GET',
  path: '/api/v1/files/drop-links/{id}',
  summary: 'One own drop link',
  access: 'file:read',
  rate: 'other',
  params: byId,
  answer: dropLink,
  errors: ['DROP_LINK_NOT_FOUND'],
});

export const updateDropLink = endpoint('updateDropLink', {
  feature: 'drop-links',
  method: 'PUT',
  path: '/api/v1/files/drop-links/{id}',
  summary: 'Change, close or reopen a drop link',
  description: 'Changes what is named. A closed link takes nothing, not even the rest of an upload.',
  access: 'file:share',
  rate: 'other',
  params: byId,
  body: terms
    .extend({ closed: z.boolean() })
    .partial()
    .refine(body => Object.values(body).some(value => value !== undefined), 'must name what is to change'),
  answer: dropLink,
  errors: ['DROP_LINK_NOT_FOUND'],
});

export const deleteDropLink = endpoint('deleteDropLink', {
  feature: 'drop-links',
  method: 'DELETE',
  path: '/api/v1/files/drop-links/{id}',
  summary: 'Delete a drop link and what its senders filled in',
  description: 'The files that arrived stay. Receipts that senders have saved stay valid.',
  access: 'file:share',
  rate: 'other',
  params: byId,
  errors: ['DROP_LINK_NOT_FOUND'],
});

export const dropArrival = z.object({
  id: recordId,
  fileName: z.string().meta({ description: 'as the sender called it' }),
  path: z.string().nullable().meta({ description: 'the folder it was sent in' }),
  fileSize: z.int().min(1),
  receivedAt: isoTime,
  contentHash,
  fileHash,
  proofStatus: z.enum([...proofStatuses, 'DELETED']),
});

const ownerArrival = dropArrival.extend({
  storedName: z.string().nullable().meta({ description: 'what the file is called now; null when it was deleted' }),
  ip: z.string(),
  fields: z.record(z.string(), z.string()),
});
export type DropArrival = z.infer<typeof ownerArrival>;

export const listDropArrivals = endpoint('listDropArrivals', {
  feature: 'drop-links',
  method: 'GET',
  path: '/api/v1/files/drop-links/{id}/arrivals',
  summary: 'What arrived through an own drop link, and from whom',
  access: 'file:read',
  rate: 'other',
  params: byId,
  query: pageQuery(['receivedAt']),
  answer: pageOf(ownerArrival),
  errors: ['DROP_LINK_NOT_FOUND'],
});

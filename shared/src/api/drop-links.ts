// Drop links: anonymous uploads into a folder of the owner. The calls of the owner; values of all drop links.
import { z } from 'zod';
import { byId, isoTime, pageOf, pageQuery, plainText, recordId, textInLines } from './common.ts';
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

const upTo = (most: number) => z.int().min(1).max(most);

const terms = z.object({
  title: oneLine(100),
  message: textInLines(2000).nullable(),
  expireMinutes: upTo(maxDropMinutes).meta({ description: 'from now on' }),
  password: sharePassword.nullable(),
  maxFiles: upTo(mostDropFiles),
  maxBytes: upTo(2 ** 50).meta({ description: 'of all files together' }),
  maxFileBytes: upTo(2 ** 50).meta({ description: 'of one file' }),
  maxFilesPerAddress: upTo(mostDropFiles).meta({ description: 'from one IPv4 address or IPv6 /64 network' }),
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

const common = { feature: 'drop-links', rate: 'other' } as const;

export const createDropLink = endpoint('createDropLink', {
  ...common,
  route: 'POST /api/v1/files/drop-links',
  summary: 'Ask for files: create a drop link into an own folder',
  description: `Anyone who has the link can send files, which count as the owner's. At most ${mostDropLinks.toLocaleString('en')} links. A password is kept as a hash only.`,
  access: 'file:share',
  folderScope: { folder: 'body.path' },
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
  ...common,
  route: 'GET /api/v1/files/drop-links',
  summary: 'List own drop links, the newest first',
  access: 'file:read',
  query: pageQuery(['createdAt']),
  answer: pageOf(dropLink),
});

export const getDropLink = endpoint('getDropLink', {
  ...common,
  route: 'GET /api/v1/files/drop-links/{id}',
  summary: 'One own drop link',
  access: 'file:read',
  params: byId,
  answer: dropLink,
  errors: ['DROP_LINK_NOT_FOUND'],
});

export const updateDropLink = endpoint('updateDropLink', {
  ...common,
  route: 'PUT /api/v1/files/drop-links/{id}',
  summary: 'Change, close or reopen a drop link',
  description: 'Changes what is named. A closed link takes nothing, not even the rest of an upload.',
  access: 'file:share',
  params: byId,
  body: terms
    .extend({ closed: z.boolean() })
    .partial()
    .refine(body => Object.values(body).some(value => value !== undefined), 'must name what is to change'),
  answer: dropLink,
  errors: ['DROP_LINK_NOT_FOUND'],
});

export const deleteDropLink = endpoint('deleteDropLink', {
  ...common,
  route: 'DELETE /api/v1/files/drop-links/{id}',
  summary: 'Delete a drop link and what its senders filled in',
  description: 'The files that arrived stay. Receipts that senders have saved stay valid.',
  access: 'file:share',
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
  ...common,
  route: 'GET /api/v1/files/drop-links/{id}/arrivals',
  summary: 'What arrived through an own drop link, and from whom',
  access: 'file:read',
  params: byId,
  query: pageQuery(['receivedAt']),
  answer: pageOf(ownerArrival),
  errors: ['DROP_LINK_NOT_FOUND'],
});

// Share links: temporary access to an account's files by a code. The calls of the owner; values of all share links.
import { z } from 'zod';
import { email, username } from './auth.ts';
import { isoTime, pageOf, pageQuery, plainText, recordId, textInLines } from './common.ts';
import { endpoint } from './endpoint.ts';
import { fileHash, folderPath } from './files.ts';
import { misleadingCharacters } from './folders.ts';

export const shareTypes = { PUBLIC: 0, PRIVATE: 1 } as const;
export const shareStatuses = { CANCELLED: 0, ACTIVE: 1, EXPIRED: 2 } as const;
export const shareActions = { VIEW: 1, DOWNLOAD: 2, SAVE: 3 } as const;

export const maxSharedFiles = 100;
/** For a shared folder. */
export const mostFolderFiles = 500;
export const maxShareMinutes = 43_200;

/** Twelve characters contain 71 random bits. */
export const shareCodeLength = 12;
export const shareCodePattern = /^[0-9A-Za-z]{12}$/;

/** A malformed code is reported as a missing share, not as bad input. */
const code = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'code of the share', examples: ['7gK2mQ9xTb4R'] });

export const byShareCode = z.object({ code });

export const shareType = z.union([z.literal(0), z.literal(1)]).meta({
  description: '0 PUBLIC: anyone who knows the code. 1 PRIVATE: accounts of the same tenant that know the code.',
});
const shareStatus = z.union([z.literal(0), z.literal(1), z.literal(2)]).meta({
  description: '0 cancelled, 1 active, 2 expired',
});

export const sharePassword = z
  .string()
  .min(4)
  .max(64)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters')
  .meta({ format: 'password' });

const mostRecipientsAtOnce = 20;
export const mostRecipients = 100;
/** Of one account, over all its shares. */
export const mostShareMailsPerDay = 200;

const unturned = 'must not hold characters that turn text';

export const shareTitle = plainText(100)
  .refine(text => !misleadingCharacters.test(text), unturned)
  .meta({ description: 'shown above the files and in mails' });

export const shareMessage = textInLines(2000)
  .refine(text => !misleadingCharacters.test(text), unturned)
  .meta({ description: 'shown above the files and in mails, as text' });

/** With "@" an address, else an account. */
export const shareRecipient = z
  .union([email, username])
  .meta({ description: 'an e-mail address, or the user name of an account of the same tenant' });

const shareRecipients = z.array(shareRecipient).min(1).max(mostRecipientsAtOnce);

const listedRecipient = z.object({
  recipient: z.string(),
  mailedAt: isoTime.nullable().meta({ description: 'null until the mail server has taken the mail' }),
});

const addRecipientsText = `mails them the link, once each; at most ${mostRecipientsAtOnce} at once, ${mostRecipients} of a share and ${mostShareMailsPerDay} mails of an account per day`;

export const fileHashes = z.array(fileHash).min(1).max(maxSharedFiles);
const expireMinutes = z.int().min(1).max(maxShareMinutes).meta({ description: 'from now on' });
const maxAccesses = z.int().min(1).max(1_000_000).meta({ description: 'how often the share can be opened' });

/** Servers of earlier releases omit it. */
export const sharedFolder = z
  .object({
    path: z.string(),
    includesLater: z.boolean().meta({ description: 'whether it also gives what comes into the folder later' }),
  })
  .nullable()
  .optional();

/** Servers of earlier releases do not send them. */
export const shareTexts = { title: z.string().nullable().optional(), message: z.string().nullable().optional() };

export const listedFile = z.object({
  fileId: recordId,
  fileHash,
  fileName: z.string(),
  path: z.string().nullable(),
  fileSize: z.int().min(0),
});

export const share = z.object({
  shareCode: z.string(),
  shareType,
  status: shareStatus,
  hasPassword: z.boolean(),
  expireTime: isoTime,
  maxAccesses: maxAccesses.nullable(),
  accessCount: z.int().min(0).meta({ description: 'how often it was opened' }),
  viewCount: z.int().min(0),
  downloadCount: z.int().min(0),
  saveCount: z.int().min(0),
  createdAt: isoTime,
  files: z.array(listedFile).meta({ description: `those that still exist; the first ${maxSharedFiles}` }),
  more: z.boolean().optional().meta({ description: 'whether there are further files' }),
  folder: sharedFolder.meta({ description: 'of a shared folder' }),
  ...shareTexts,
  recipients: z.array(listedRecipient).optional().meta({ description: 'who was mailed the link' }),
});
export type Share = z.infer<typeof share>;

const common = { feature: 'shares', rate: 'other' } as const;

export const createShare = endpoint('createShare', {
  ...common,
  route: 'POST /api/v1/files/share',
  summary: 'Share own files, or a folder, by a link',
  description: `The page for people is /s/{code}. A password is kept as a hash only and is never shown again. Instead of \`fileHash\` a \`folder\`, and with it \`includesLater\`: false gives the files that are in it and below it now, true gives at any time what is in it then. At most ${mostFolderFiles} files. Visitors see the paths from that folder on.`,
  access: 'file:share',
  folderScope: { files: ['body.fileHash'], otherFolders: ['body.folder'] },
  body: z
    .object({
      fileHash: fileHashes.optional(),
      folder: folderPath.optional(),
      includesLater: z.boolean().optional(),
      expireMinutes,
      shareType,
      password: sharePassword.optional(),
      maxAccesses: maxAccesses.optional(),
      title: shareTitle.optional(),
      message: shareMessage.optional(),
      addRecipients: shareRecipients.optional().meta({ description: addRecipientsText }),
    })
    .refine(body => (body.fileHash === undefined) !== (body.folder === undefined), 'must name either files or a folder')
    .refine(body => (body.folder === undefined) === (body.includesLater === undefined), {
      path: ['includesLater'],
      message: 'must say, of a folder and of nothing else, whether the share includes what comes later',
    }),
  answer: share,
  errors: ['FILE_NOT_EXIST', 'RESULT_DATA_NONE', 'USER_NOT_EXIST', 'CONFLICT', 'RATE_LIMITED', 'UNPROCESSABLE'],
});

export const listShares = endpoint('listShares', {
  ...common,
  route: 'GET /api/v1/files/shares',
  summary: 'List own shares',
  access: 'file:read',
  query: pageQuery(['createdAt', 'expireTime']),
  answer: pageOf(share),
});

export const updateShare = endpoint('updateShare', {
  ...common,
  route: 'PUT /api/v1/files/share/{code}',
  summary: 'Change a share',
  description:
    'Changes what is named. An expired share that is given more time is active again; a cancelled one stays cancelled. A new type or password ends the grants given so far. A password, a limit, a title or a message of null takes it away. Files are added to and removed from a fixed set; at least one stays.',
  access: 'file:share',
  params: byShareCode,
  body: z
    .object({
      expireMinutes: expireMinutes.optional(),
      shareType: shareType.optional(),
      password: sharePassword.nullable().optional(),
      maxAccesses: maxAccesses.nullable().optional(),
      title: shareTitle.nullable().optional(),
      message: shareMessage.nullable().optional(),
      addFiles: fileHashes.optional(),
      removeFiles: fileHashes.optional(),
      addRecipients: shareRecipients.optional().meta({ description: addRecipientsText }),
      removeRecipients: shareRecipients
        .optional()
        .meta({ description: 'takes them off the list; who has the link keeps it' }),
    })
    .refine(body => Object.values(body).some(value => value !== undefined), 'must name what is to change'),
  answer: share,
  errors: [
    'SHARE_NOT_FOUND',
    'SHARE_CANCELLED',
    'SHARE_EXPIRED',
    'FILE_NOT_EXIST',
    'USER_NOT_EXIST',
    'CONFLICT',
    'RATE_LIMITED',
    'UNPROCESSABLE',
  ],
});

export const revokeShare = endpoint('revokeShare', {
  ...common,
  route: 'DELETE /api/v1/files/share/{code}',
  summary: 'Cancel a share, for good',
  access: 'file:share',
  params: byShareCode,
  errors: ['SHARE_NOT_FOUND'],
});

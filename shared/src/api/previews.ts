// Previews of files: thumbnails, which clients make, and addresses that media elements play.
import { z } from 'zod';
import { isoTime } from './common.ts';
import { endpoint } from './endpoint.ts';
import { fileHash } from './files.ts';

export const maxThumbnailBytes = 32 * 1024;
/** Longest side. */
export const maxThumbnailPixels = 512;
/** In one call. */
export const mostThumbnails = 32;

export const thumbnailTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;
export type ThumbnailType = (typeof thumbnailTypes)[number];

const maxBase64 = 4 * Math.ceil(maxThumbnailBytes / 3);
const image = z.base64().min(4).max(maxBase64).meta({ description: 'the bytes of the image, base64' });

const thumbnail = z.object({ fileHash, contentType: z.enum(thumbnailTypes), image });
export type Thumbnail = z.infer<typeof thumbnail>;

export const putThumbnails = endpoint('putThumbnails', {
  feature: 'previews',
  route: 'PUT /api/v1/files/thumbnails',
  summary: 'Store thumbnails of own files',
  description: `PNG, JPEG or WebP of at most 32 KiB and ${maxThumbnailPixels} pixels on each side, made by the client that uploads a file or first shows it. What the bytes are counts. Metadata is removed. One for each file: a later one replaces it. It is sealed with the key of its file and goes with it. No proof covers it.`,
  access: 'file:write',
  rate: 'other',
  body: z.object({ thumbnails: z.array(z.object({ fileHash, image })).min(1).max(mostThumbnails) }),
  maxBodyBytes: 2 * 1024 * 1024,
  errors: ['FILE_NOT_EXIST', 'FILE_ACCEPT_NOT_SUPPORT', 'ENCRYPTION_ERROR', 'UNPROCESSABLE'],
});

export const readThumbnails = endpoint('readThumbnails', {
  isAllowedInMaintenance: true,
  feature: 'previews',
  route: 'POST /api/v1/files/thumbnails/read',
  summary: 'Read thumbnails of own files',
  description: 'Without those that have none, and without files that are not there.',
  access: 'file:read',
  folderScope: { files: ['body.fileHashes'] },
  rate: 'download',
  body: z.object({ fileHashes: z.array(fileHash).min(1).max(mostThumbnails) }),
  answer: z.array(thumbnail),
  errors: ['ENCRYPTION_ERROR', 'UNPROCESSABLE'],
});

/** Where media elements fetch a file; the ticket follows. */
export const streamPrefix = '/api/v1/streams/';

export const createStream = endpoint('createStream', {
  isAllowedInMaintenance: true,
  feature: 'previews',
  route: 'POST /api/v1/files/{hash}/stream',
  summary: 'An address that plays an own audio or video file',
  description:
    'For elements of a page, which send no token. The address opens this one file for an hour, in ranges, as long as the file and the sessions of its owner last.',
  access: 'file:read',
  folderScope: { files: ['params.hash'] },
  rate: 'download',
  params: z.object({ hash: fileHash }),
  answer: z.object({ path: z.string(), expiresAt: isoTime }),
  errors: ['FILE_NOT_EXIST', 'FILE_ACCEPT_NOT_SUPPORT'],
});

export const readStream = endpoint('readStream', {
  feature: 'previews',
  route: 'GET /api/v1/streams/{ticket}',
  summary: 'Play an audio or video file at the address that createStream returned',
  description: 'As downloadFile, for audio and video only.',
  access: 'anonymous',
  rate: 'share',
  params: z.object({ ticket: z.string().max(200) }),
  answerForm: 'bytes',
  errors: ['FORBIDDEN', 'FILE_NOT_EXIST', 'FILE_DOWNLOAD_ERROR', 'FILE_RECORD_ERROR', 'SERVICE_UNAVAILABLE'],
});

// The browser pages of a share: its page, the password form, and plain links to the files.
import { z } from 'zod';
import { booleanInText } from './common.ts';
import { endpoint } from './endpoint.ts';
import { fileHash } from './files.ts';
import { byShareCode } from './shares.ts';

/** The path of the public page; the code follows. */
export const sharePagePrefix = '/s/';

const common = { feature: 'shares', access: 'anonymous', rate: 'share' } as const;
const ofFile = { ...common, params: byShareCode.extend({ fileHash }), answerForm: 'bytes' } as const;

export const getSharePage = endpoint('getSharePage', {
  ...common,
  route: 'GET /s/{code}',
  summary: 'The page of a share',
  description: 'For people. Shows the files, or asks for the password, or says that the share is private or has ended.',
  params: byShareCode,
  answer: z.string(),
  answerForm: 'text',
});

export const enterSharePage = endpoint('enterSharePage', {
  isAllowedInMaintenance: true,
  ...common,
  route: 'POST /s/{code}',
  summary: 'Enter the password of a share on its page',
  description: 'Answers 303 to the page, with a cookie that holds the grant; or the page again, with what was wrong.',
  params: byShareCode,
  body: z.object({ password: z.string().max(1000).default('').meta({ format: 'password' }) }),
  bodyForms: ['form'],
  answer: z.string(),
  answerForm: 'text',
});

export const downloadFromSharePage = endpoint('downloadFromSharePage', {
  ...ofFile,
  route: 'GET /s/{code}/files/{fileHash}',
  summary: 'Download a file from the page of a share',
  description: 'As downloadSharedFile, with the grant in a cookie. What goes wrong is answered as a page.',
});

export const downloadAllFromSharePage = endpoint('downloadAllFromSharePage', {
  ...common,
  route: 'GET /s/{code}/all.zip',
  summary: 'Download all files of a share as one ZIP',
  description:
    'Stored, not compressed, so that its length is known before its first byte. Each file in it counts as a download. Ends when the share does. With `proofs` the issued proof of each file is added as proofs/<name>.proof.zip; the length is then not known before.',
  params: byShareCode,
  query: z.object({ proofs: booleanInText.default(false) }),
  answerForm: 'bytes',
});

export const downloadProofFromSharePage = endpoint('downloadProofFromSharePage', {
  ...ofFile,
  route: 'GET /s/{code}/files/{fileHash}/proof',
  summary: 'The proof of a shared file',
  description: 'As exportProof, for any visitor who may see the file. Errors are answered as a page.',
});

export const downloadEvidenceFromSharePage = endpoint('downloadEvidenceFromSharePage', {
  ...ofFile,
  route: 'GET /s/{code}/files/{fileHash}/evidence',
  summary: 'The proof of a shared file, packed with what others say about its time',
  description: 'As exportEvidence, for any visitor who may see the file. Errors are answered as a page.',
});

export const getThumbnailOnSharePage = endpoint('getThumbnailOnSharePage', {
  ...ofFile,
  route: 'GET /s/{code}/files/{fileHash}/thumbnail',
  summary: 'The thumbnail of a shared file',
  description:
    'PNG, JPEG or WebP, as a client of the owner made it. It is part of the list of files and counts as no access.',
  errors: ['NOT_FOUND'],
});

// Images: avatars, and images in tickets and messages. They have no proofs.
import { z } from 'zod';
import { endpoint } from './endpoint.ts';

const MiB = 1024 * 1024;

export const maxAvatarBytes = MiB;
export const maxImageBytes = 5 * MiB;
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export type ImageType = (typeof imageTypes)[number];

/** The prefix of image URLs; the name of the image follows. */
export const imageDownloadPrefix = '/api/v1/images/download/';

const storedImage = z.object({
  path: z.string().meta({ description: 'where the picture can be fetched', examples: [`${imageDownloadPrefix}x.png`] }),
  contentType: z.enum(imageTypes),
  size: z.int().min(1),
});
export type StoredImage = z.infer<typeof storedImage>;

const upload = {
  feature: 'images',
  access: 'signed-in',
  rate: 'upload',
  body: z.object({ file: z.string().meta({ format: 'binary' }) }),
  bodyForms: ['multipart'],
  answer: storedImage,
  errors: ['FILE_MAX_SIZE_OVERFLOW', 'FILE_ACCEPT_NOT_SUPPORT', 'FILE_EMPTY'],
} as const;

export const uploadAvatar = endpoint('uploadAvatar', {
  ...upload,
  route: 'POST /api/v1/images/upload/avatar',
  summary: 'Set the own avatar',
  description:
    'A form with the part "file": PNG, JPEG, WebP or GIF of at most 1 MiB. What the bytes are counts, not what they are called. Metadata is removed. The avatar before it is gone.',
});

export const uploadImage = endpoint('uploadImage', {
  ...upload,
  route: 'POST /api/v1/images/upload/image',
  summary: 'Upload a picture',
  description: 'As for an avatar, of at most 5 MiB.',
});

export const downloadImage = endpoint('downloadImage', {
  feature: 'images',
  route: 'GET /api/v1/images/download/**',
  summary: 'Fetch a picture',
  description:
    'For all accounts of the tenant that know the path. The picture at a path never changes, so it may be cached without limit.',
  access: 'signed-in',
  rate: 'download',
  params: z.object({ path: z.string().max(200) }),
  answerForm: 'bytes',
  errors: ['NOT_FOUND'],
});

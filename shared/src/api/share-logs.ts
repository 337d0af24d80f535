// Access logs and statistics of share links, for their owners.
import { z } from 'zod';
import { isoTime, pageOf, pageQuery, recordId } from './common.ts';
import { endpoint } from './endpoint.ts';
import { fileHash } from './files.ts';
import { byShareCode } from './shares.ts';

export const shareAccess = z.object({
  id: recordId,
  actionType: z.union([z.literal(1), z.literal(2), z.literal(3)]).meta({ description: '1 view, 2 download, 3 save' }),
  actorName: z.string().nullable().meta({ description: 'null for callers who were not signed in' }),
  ip: z.string(),
  userAgent: z.string().nullable(),
  fileHash: fileHash.nullable(),
  fileName: z.string().nullable(),
  accessTime: isoTime,
});
export type ShareAccess = z.infer<typeof shareAccess>;

export const shareStats = z.object({
  viewCount: z.int().min(0),
  downloadCount: z.int().min(0),
  saveCount: z.int().min(0),
  uniqueActors: z
    .int()
    .min(0)
    .meta({ description: 'accounts, and addresses of callers without one, in the retained log' }),
  totalAccess: z.int().min(0).meta({ description: 'views, downloads and saves together' }),
});
export type ShareStats = z.infer<typeof shareStats>;

const common = { feature: 'shares', access: 'file:read', rate: 'other' } as const;

export const listShareLogs = endpoint('listShareLogs', {
  ...common,
  route: 'GET /api/v1/files/share/{code}/logs',
  summary: 'Who used an own share, and when',
  description: 'Kept for 180 days.',
  params: byShareCode,
  query: pageQuery(['accessTime']),
  answer: pageOf(shareAccess),
  errors: ['SHARE_NOT_FOUND'],
});

export const getShareStats = endpoint('getShareStats', {
  ...common,
  route: 'GET /api/v1/files/share/{code}/stats',
  summary: 'How often an own share was used',
  params: byShareCode,
  answer: shareStats,
  errors: ['SHARE_NOT_FOUND'],
});

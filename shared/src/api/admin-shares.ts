// Share links of all accounts of a tenant, for administrators: list, cancel, access log, statistics.
import { z } from 'zod';
import { numberFromText, pageOf, pageQuery } from './common.ts';
import { endpoint } from './endpoint.ts';
import { shareAccess, shareStats } from './share-logs.ts';
import { byShareCode, share } from './shares.ts';

const administeredShare = share.extend({ ownerId: z.string(), ownerName: z.string() });
export type AdministeredShare = z.infer<typeof administeredShare>;

const common = { feature: 'shares', access: 'file:admin', rate: 'other' } as const;

export const listAllShares = endpoint('listAllShares', {
  ...common,
  route: 'GET /api/v1/admin/files/shares',
  summary: 'List the shares of everyone in the tenant',
  query: pageQuery(['createdAt', 'expireTime']).extend({ status: numberFromText(z.int().min(0).max(2)).optional() }),
  answer: pageOf(administeredShare),
});

export const cancelAnyShare = endpoint('cancelAnyShare', {
  ...common,
  route: 'DELETE /api/v1/admin/files/shares/{code}',
  summary: 'Cancel a share of any user',
  params: byShareCode,
  errors: ['SHARE_NOT_FOUND'],
});

export const listAnyShareLogs = endpoint('listAnyShareLogs', {
  ...common,
  route: 'GET /api/v1/admin/files/shares/{code}/logs',
  summary: 'Who used a share, and when',
  params: byShareCode,
  query: pageQuery(['accessTime']),
  answer: pageOf(shareAccess),
  errors: ['SHARE_NOT_FOUND'],
});

export const getAnyShareStats = endpoint('getAnyShareStats', {
  ...common,
  route: 'GET /api/v1/admin/files/shares/{code}/stats',
  summary: 'How often a share was used',
  params: byShareCode,
  answer: shareStats,
  errors: ['SHARE_NOT_FOUND'],
});

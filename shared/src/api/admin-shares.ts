// Share links of all accounts of a tenant, for administrators: list, cancel, access log, statistics.
import { z } from 'zod';
import { numberInText, pageOf, pageQuery } from './common.ts';
import { endpoint } from './endpoint.ts';
import { shareAccess, shareStats } from './share-logs.ts';
import { byShareCode, share } from './shares.ts';

const administeredShare = share.extend({ ownerId: z.string(), ownerName: z.string() });
export type AdministeredShare = z.infer<typeof administeredShare>;

export const listAllShares = endpoint('listAllShares', {
  feature: 'shares',
  method: 'GET',
  path: '/api/v1/admin/files/shares',
  summary: 'List the shares of everyone in the tenant',
  access: 'file:admin',
  rate: 'other',
  query: pageQuery(['createdAt', 'expireTime']).extend({ status: numberInText(z.int().min(0).max(2)).optional() }),
  answer: pageOf(administeredShare),
});

export const cancelAnyShare = endpoint('cancelAnyShare', {
  feature: 'shares',
  method: 'DELETE',
  path: '/api/v1/admin/files/shares/{code}',
  summary: 'Cancel a share of any user',
  access: 'file:admin',
  rate: 'other',
  params: byShareCode,
  errors: ['SHARE_NOT_FOUND'],
});

export const listAnyShareLogs = endpoint('listAnyShareLogs', {
  feature: 'shares',
  method: 'GET',
  path: '/api/v1/admin/files/shares/{code}/logs',
  summary: 'Who used a share, and when',
  access: 'file:admin',
  rate: 'other',
  params: byShareCode,
  query: pageQuery(['accessTime']),
  answer: pageOf(shareAccess),
  errors: ['SHARE_NOT_FOUND'],
});

export const getAnyShareStats = endpoint('getAnyShareStats', {
  feature: 'shares',
  method: 'GET',
  path: '/api/v1/admin/files/shares/{code}/stats',
  summary: 'How often a share was used',
  access: 'file:admin',
  rate: 'other',
  params: byShareCode,
  answer: shareStats,
  errors: ['SHARE_NOT_FOUND'],
});

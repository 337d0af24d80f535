// Frequent queries of users and servers, as the features issue them.
import { listLogs } from '@recordproof/server/features/audit-review/list-logs.ts';
import { listEntries, listEntriesAbout } from '@recordproof/server/features/chain/ledger/queries.ts';
import { listFiles } from '@recordproof/server/features/files/list-queries.ts';
import { searchFiles } from '@recordproof/server/features/files/search-queries.ts';
import { findProof, findProofOfFile } from '@recordproof/server/features/proofs/queries.ts';
import { listAccesses } from '@recordproof/server/features/shares/access-log.ts';
import { listShares } from '@recordproof/server/features/shares/list-queries.ts';
import { findShareByCode, listMembers } from '@recordproof/server/features/shares/queries.ts';
import type { Database } from '@recordproof/server/platform/db/open-db.ts';
import { claimDue, putBackAll } from '@recordproof/server/platform/jobs/queries.ts';
import { searchAuditLogs } from '@recordproof/shared/api/audit-review.ts';
import type { PageRequest } from '@recordproof/shared/api/common.ts';
import { firstIdOf, type Owner } from './many-rows.ts';

/** The owner of all rows. */
export type Grown = Owner & { readonly auditTenantId: number };

export type PageQuery = { readonly name: string; run(): Promise<unknown> };

const page = (number: number, size = 20): PageRequest => ({ page: number, size, sort: 'createdAt,desc' });
const dueBefore = 3_000_000_000_000;
const handlers = new Map([['bench', { leaseSeconds: 60 }]]);

const query = (name: string, run: () => Promise<unknown>): PageQuery => ({ name, run });

function fileQueries({ db, kind }: Database, owner: Owner): PageQuery[] {
  const tenant = { tenantId: owner.tenantId };
  const find = (scope: Owner | typeof tenant, keyword: string, keywordMode: 'AUTO' | 'PREFIX' = 'AUTO') =>
    searchFiles(db, kind, scope, { keyword, keywordMode }, page(1));
  const hash = (firstIdOf(owner) + 7).toString(16).padStart(64, '0');
  return [
    query('files: page 1', () => listFiles(db, owner, page(1))),
    query('files: page 100', () => listFiles(db, owner, page(100))),
    query('files: ten of all names', () => find(owner, 'needle')),
    query('files: by hash', () => find(owner, hash)),
    query('files: by prefix', () => find(owner, 'photo of day 95028', 'PREFIX')),
    query('files of the tenant: page 1', () => find(tenant, '')),
    query('files of the tenant: by hash', () => find(tenant, hash)),
  ];
}

function auditQueries(database: Database, tenantId: number): PageQuery[] {
  const find = (body: object) => listLogs({ database }, tenantId, searchAuditLogs.body?.parse(body) ?? raise());
  return [
    query('audit: page 1', () => find({})),
    query('audit: a user', () => find({ userId: '77' })),
    query('audit: an address', () => find({ requestIp: '192.0.2.7' })),
  ];
}

const raise = (): never => {
  throw new Error('the contract has a body');
};

function shareQueries({ db }: Database, owner: Owner): PageQuery[] {
  const scope = { ...owner, status: undefined };
  const tenant = { tenantId: owner.tenantId };
  return [
    query('shares: page 1', () => listShares(db, scope, page(1), 0)),
    query('shares: page 100', () => listShares(db, scope, page(100), 0)),
    query('shares: the next to end', () => listShares(db, scope, { ...page(1), sort: 'expireTime,asc' }, 0)),
    query('shares of the tenant: page 1', () => listShares(db, tenant, page(1), 0)),
    query('shares of the tenant: active', () => listShares(db, { ...tenant, status: 1 }, page(1), 0)),
    query('shares of the tenant: over', () => listShares(db, { ...tenant, status: 2 }, page(1), 0)),
    query('shares: by code, with its files', async () => {
      const share = await findShareByCode(db, 's77');
      return share && listMembers(db, share);
    }),
    query('shares: log of one', async () => {
      const share = await findShareByCode(db, 's77');
      return share && listAccesses(db, share, page(1));
    }),
  ];
}

function evidenceQueries({ db }: Database, owner: Owner, rows: number): PageQuery[] {
  const hash = (firstIdOf(owner) + 77).toString(16).padStart(64, '0');
  return [
    query('ledger: a tile of entries', () => listEntries(db, rows - 256, rows)),
    query('ledger: the record of a file', () => listEntriesAbout(db, 'FILE_RECORD', [hash])),
    query('proofs: of a file', () => findProofOfFile(db, owner.tenantId, firstIdOf(owner) + 77)),
    query('proofs: by number', () => findProof(db, 'p77')),
  ];
}

/** Twenty are claimed and put back, so that the next round finds as many. */
async function claimJobs({ db, kind }: Database): Promise<void> {
  const claimed = await claimDue({ db, engine: kind, handlers }, 20, dueBefore);
  await putBackAll(db, claimed, 1);
}

export const pageQueries = (database: Database, owner: Grown, rows: number): PageQuery[] => [
  ...fileQueries(database, owner),
  ...auditQueries(database, owner.auditTenantId),
  ...shareQueries(database, owner),
  ...evidenceQueries(database, owner, rows),
  query('jobs: claim 20', () => claimJobs(database)),
];

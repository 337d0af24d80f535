// The audit log: who changed what, when and from where, as a hash chain per tenant.
import { feature } from '../../platform/feature.ts';
import { auditMigrations } from './migrations.ts';
import { RejectionLog } from './rejection-log.ts';

export { type AuditEntry, type AuditNote, appendAudit, appendAudits, recordAudit } from './append-audit.ts';
export { type Anchor, cutChain, findAnchor, findAuditHead } from './chain-ends.ts';
export { fits, type LinkedRow, startOfChain } from './hash-chain.ts';
export { type AuditLogRow, type StoredAuditRow, toAuditLogRow, unpackTexts } from './packed-row.ts';
export { findNewestOperation } from './queries.ts';
export { type Rejection, toRejection } from './rejection-log.ts';
export { sealRejections } from './seals.ts';
export { type ChainReport, findAuditTimeSteps, verifyAuditChain } from './verify-chain.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Rejected operations, for the audit log. */
    readonly rejections: RejectionLog;
  }
}

export const audit = feature({
  name: 'audit',
  layer: 0,
  migrations: auditMigrations,
  provide: platform => ({ rejections: new RejectionLog(platform) }),
});

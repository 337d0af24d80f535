// The audit log: who changed what, when and from where, in a chain of hashes per tenant.
import { feature } from '../../platform/feature.ts';
import { auditMigrations } from './migrations.ts';
import { RefusalLog } from './refusal-log.ts';

export { type AuditEntry, type AuditNote, appendAudit, appendAudits, recordAudit } from './append-audit.ts';
export { findAuditHead } from './audit-head.ts';
export { fits, type LinkedRow, startOfChain } from './chain.ts';
export { type Anchor, cutChain, findAnchor } from './cut-chain.ts';
export { findNewestOperation } from './queries.ts';
export type { Refusal } from './refusal-log.ts';
export { toRefusal } from './refused-act.ts';
export { sealRefusals } from './seals.ts';
export { type ChainReport, findAuditTimeSteps, verifyAuditChain } from './verify-chain.ts';

declare module '../../platform/server.ts' {
  interface Server {
    /** Acts that were refused, for the audit log. */
    readonly refusals: RefusalLog;
  }
}

export const audit = feature({
  name: 'audit',
  floor: 0,
  migrations: auditMigrations,
  provide: platform => ({ refusals: new RefusalLog(platform) }),
});

// The audit log: who changed what, when and from where, in a chain of hashes per tenant.
import { feature } from '../../platform/feature.ts';
import { auditMigrations } from './migrations.ts';

export { type AuditEntry, type AuditNote, appendAudit, appendAudits } from './append-audit.ts';
export { findAuditHead } from './audit-head.ts';
export { fits, type LinkedRow, startOfChain } from './chain.ts';
export { type Anchor, cutChain, findAnchor } from './cut-chain.ts';
export { type ChainReport, verifyAuditChain } from './verify-chain.ts';

export const audit = feature({ name: 'audit', floor: 0, migrations: auditMigrations });

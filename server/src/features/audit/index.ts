// The audit log: who changed what, when and from where, in a chain of hashes per tenant.
export { type AuditEntry, appendAudit, localOrigin, type Origin, originOf } from './append-audit.ts';
export { auditMigrations } from './migrations.ts';
export { type ChainReport, verifyAuditChain } from './verify-chain.ts';

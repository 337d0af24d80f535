// The hash chain over a tenant's audit rows: a changed, removed or inserted row breaks it.
import { createHash } from 'node:crypto';

export const startOfChain = '0'.repeat(64);

export type LinkedRow = {
  readonly position: number;
  readonly module: string;
  readonly operation_type: string;
  readonly description: string;
  readonly method: string;
  readonly request_url: string;
  readonly request_method: string;
  readonly request_ip: string;
  readonly request_param: string;
  readonly status: number;
  readonly error_msg: string | null;
  readonly user_id: number | null;
  readonly username: string | null;
  readonly operation_time: number;
  readonly execution_time: number;
};

/**
 * The part of a hash's input after the position: every field, in the order of the type above, as the end of a JSON
 * array. It begins after the comma.
 */
export const toTail = (row: Omit<LinkedRow, 'position'>): string =>
  JSON.stringify([
    row.module,
    row.operation_type,
    row.description,
    row.method,
    row.request_url,
    row.request_method,
    row.request_ip,
    row.request_param,
    row.status,
    row.error_msg,
    row.user_id,
    row.username,
    row.operation_time,
    row.execution_time,
  ]).slice(1);

/** SHA-256 over the previous hash, the tenant, the position and the fields, as one JSON array. */
export const hashRow = (previousHash: string, tenantId: number, position: number, tail: string): string =>
  createHash('sha256').update(`["${previousHash}",${tenantId},${position},${tail}`).digest('hex');

/** Returns whether the row directly follows the known link. */
export const fits = (
  anchor: { position: number; hash: string },
  tenantId: number,
  row: LinkedRow & { readonly hash: string },
): boolean =>
  row.position === anchor.position + 1 && row.hash === hashRow(anchor.hash, tenantId, row.position, toTail(row));

// Maintenance mode: requests that would change something are rejected before their body is read.
import type { AnyEndpoint } from '@recordproof/shared/api/endpoint.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Awaitable, andThen } from '../awaitable.ts';
import type { Caller, Maintenance } from './caller.ts';

/** Undefined outside maintenance. Read for every change, with its session or by this, so it takes effect at once. */
export type FindMaintenance = () => Awaitable<Maintenance | undefined>;

const retryAfterSeconds = 60;

export const isChange = ({ method, isAllowedInMaintenance }: AnyEndpoint): boolean =>
  method !== 'GET' && isAllowedInMaintenance !== true;

export function rejectChange(
  find: FindMaintenance | undefined,
  endpoint: AnyEndpoint,
  caller: Caller,
): Awaitable<void> {
  if (find === undefined || !isChange(endpoint)) return;
  const maintenance = caller.kind === 'user' ? caller.maintenance : undefined;
  return rejectInMaintenance(maintenance === undefined ? find : () => maintenance ?? undefined);
}

/** Also for requests that were admitted before maintenance began. */
export const rejectInMaintenance = (find: FindMaintenance): Awaitable<void> =>
  andThen(find(), maintenance => {
    if (maintenance === undefined) return;
    const message = `the server is in maintenance mode and accepts no changes: ${maintenance.message}`;
    throw new ApiError('MAINTENANCE', message, { retryAfterSeconds, detail: { message: maintenance.message } });
  });

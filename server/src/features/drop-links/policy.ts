// States of drop links, their limits, and validation of the sender's fields. Pure.
import type { DropField, DropState } from '@recordproof/shared/api/drop-links.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import type { SenderFields } from '@recordproof/shared/evidence/drop-receipt.ts';
import { z } from 'zod';
import type { Time } from '../../platform/db/tables.ts';
import type { LinkRow } from './queries.ts';

/** Concurrent uploads. */
const mostUnderWay = { ofLink: 100, ofAddress: 20 };

export function stateOf(link: LinkRow, now: Time): DropState {
  if (link.closed_at !== null) return 'CLOSED';
  if (link.expire_at <= now) return 'EXPIRED';
  return link.arrived_files >= link.max_files || link.arrived_bytes >= link.max_bytes ? 'FULL' : 'OPEN';
}

const isOver = (state: DropState): state is 'CLOSED' | 'EXPIRED' => state === 'CLOSED' || state === 'EXPIRED';

const overMessages = { CLOSED: 'this drop link was closed', EXPIRED: 'this drop link has expired' } as const;

export function assertAcceptsFiles(link: LinkRow, now: Time): void {
  const state = stateOf(link, now);
  if (isOver(state)) throw new ApiError('DROP_LINK_CLOSED', overMessages[state], { detail: { reason: state } });
}

/** A started file may finish after the expiry, but not after the owner has closed the link. */
export function assertNotClosed(link: LinkRow): void {
  if (link.closed_at !== null)
    throw new ApiError('DROP_LINK_CLOSED', overMessages.CLOSED, { detail: { reason: 'CLOSED' } });
}

type Counted = { readonly files: number; readonly bytes: number };

type Load = {
  readonly arrivedOfAddress: number;
  readonly underWay: Counted;
  readonly underWayOfAddress: number;
};

const full = (reason: 'FILES' | 'BYTES' | 'ADDRESS' | 'UNDER_WAY', message: string): ApiError =>
  new ApiError('DROP_LINK_FULL', message, { detail: { reason } });

/** Files in progress count as received. */
export function assertRoom(link: LinkRow, size: number, load: Load): void {
  if (size > link.max_file_bytes)
    throw new ApiError('FILE_MAX_SIZE_OVERFLOW', `this link accepts files of at most ${link.max_file_bytes} bytes`);
  const { underWay } = load;
  if (link.arrived_files + underWay.files >= link.max_files)
    throw full('FILES', `this link takes ${link.max_files} files, and has them or waits for them`);
  if (link.arrived_bytes + underWay.bytes + size > link.max_bytes)
    throw full('BYTES', `this link takes ${link.max_bytes} bytes in all; this file is too much`);
  if (load.arrivedOfAddress + load.underWayOfAddress >= link.max_files_per_address)
    throw full('ADDRESS', `this link takes ${link.max_files_per_address} files from one address`);
  if (underWay.files >= mostUnderWay.ofLink || load.underWayOfAddress >= mostUnderWay.ofAddress)
    throw full('UNDER_WAY', 'too many files are being sent at the same time; wait until some have arrived');
}

const mail = z.email();

/** Trimmed values by label, without empty ones. */
export function checkFields(fields: readonly DropField[], values: SenderFields): SenderFields {
  const labels = new Set(fields.map(({ label }) => label));
  const unknown = Object.keys(values).find(label => !labels.has(label));
  if (unknown !== undefined) throw new ApiError('PARAM_IS_INVALID', `fields: this link does not ask for "${unknown}"`);
  const filled = fields.flatMap(({ label, kind, required }): [string, string][] => {
    const value = Object.hasOwn(values, label) ? (values[label] ?? '') : '';
    if (value === '') {
      if (required) throw new ApiError('PARAM_NOT_COMPLETE', `fields: "${label}" is missing`);
      return [];
    }
    if (kind === 'MAIL' && !mail.safeParse(value).success)
      throw new ApiError('PARAM_IS_INVALID', `fields: "${label}" must be a mail address`);
    return [[label, value]];
  });
  return Object.fromEntries(filled);
}

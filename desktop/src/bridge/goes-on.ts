// Which transfers go on by themselves once the server is there again and knows who is signed in: those that failed for want
// of nothing else.
import type { TransportFailure } from '@recordproof/shared/api/client.ts';
import type { ErrorKind } from '@recordproof/shared/api/errors.ts';
import type { TransferFailure } from '@recordproof/shared/transfer/transfer-error.ts';
import type { Failure, TransferState } from './bridge.ts';

const ofTheServer: readonly (ErrorKind | TransferFailure | TransportFailure)[] = [
  'unreachable',
  'timed-out',
  'gave-up',
  'SYSTEM_BUSY',
  'UNAVAILABLE',
  'SERVICE_UNAVAILABLE',
  'SERVICE_TIMEOUT',
  'UNAUTHORIZED',
  'USER_NOT_LOGGED_IN',
  'PERMISSION_UNAUTHENTICATED',
  'PERMISSION_TOKEN_EXPIRED',
  'PERMISSION_TOKEN_INVALID',
];
const codes: ReadonlySet<string> = new Set(ofTheServer);

export const isOfTheServer = ({ code }: Failure): boolean => codes.has(code);

export const waitsForServer = (state: TransferState): boolean => state.kind === 'failed' && isOfTheServer(state.reason);

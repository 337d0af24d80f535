// Failures without which a transfer continues once the server answers again and knows who is signed in.
import type { TransportFailure } from '@recordproof/shared/api/client.ts';
import type { ErrorKind } from '@recordproof/shared/api/errors.ts';
import type { TransferFailure } from '@recordproof/shared/transfer/transfer-error.ts';
import type { Failure } from '../bridge/bridge.ts';

const ofServer: readonly (ErrorKind | TransferFailure | TransportFailure)[] = [
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
const codes: ReadonlySet<string> = new Set(ofServer);

export const isServerFailure = ({ code }: Failure): boolean => codes.has(code);

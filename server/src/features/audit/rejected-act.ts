// Audit rows of rejected operations of an account. Repetitions are identified by endpoint and kind of refusal, so that
// ids and messages chosen by a client do not create rows.
import type { RejectedAct } from '../../platform/http/http-context.ts';
import type { Rejection } from './rejection-log.ts';

const maxMessageCharacters = 500;

export const toRejection = ({ call, endpoint, error, ids }: RejectedAct): Rejection => ({
  call,
  entry: {
    module: endpoint.feature,
    operation: endpoint.name,
    description: `refused: ${endpoint.summary}`,
    param: { ...ids, code: error.code },
    errorMessage: error.message.slice(0, maxMessageCharacters),
  },
  subject: `act:${call.actor.userId}:${endpoint.name}:${error.code}`,
});

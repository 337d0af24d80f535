// A refused act of an account as a row of the audit log: what is the same again is the call and the kind of refusal, so that
// ids and messages that a client chooses make no rows.
import type { RefusedAct } from '../../platform/http/refused-acts.ts';
import type { Refusal } from './refusal-log.ts';

const maxMessageCharacters = 500;

export const toRefusal = ({ call, endpoint, error, ids }: RefusedAct): Refusal => ({
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

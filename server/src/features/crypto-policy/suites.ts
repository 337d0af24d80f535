// The suites of this deployment, and whether records may be read or written with them. Every decision is counted; a
// rejection states its reason.
import {
  type DecisionReason,
  decisionReasons,
  type SuiteType,
  suiteTypes,
} from '@recordproof/shared/api/crypto-policy.ts';
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type Suite, toCatalogue } from '../../platform/crypto/suite-catalogue.ts';
import type { Platform } from '../../platform/server.ts';
import { checkRead, checkWrite, type Subject } from './policy.ts';

type Decision = {
  readonly type: Subject | 'POLICY';
  readonly operation: 'read' | 'write' | 'policy';
  readonly reason: DecisionReason;
};

export type Suites = {
  readonly catalogue: readonly Suite[];
  decided(decision: Decision): void;
  /** NONE if new records may be written with it. */
  whyNotWritable(type: SuiteType, id: string): DecisionReason;
  /** Throws UNPROCESSABLE. */
  assertWritable(type: SuiteType, id: string): void;
  /** For the suite of a record. Throws UNPROCESSABLE; ENCRYPTION_ERROR for an unknown suite. */
  assertReadable(type: SuiteType, id: string): void;
};

export function openSuites({ metrics, clock, config }: Pick<Platform, 'metrics' | 'clock'> & SuitesConfig): Suites {
  const catalogue = toCatalogue(config.suites);
  const decisions = metrics.counter({
    name: 'app.crypto.suite.decision',
    help: 'Decisions on the suites and providers that records are written and read with',
    labels: {
      type: [...suiteTypes, 'WRAPPING_PROVIDER', 'SIGNING_PROVIDER', 'POLICY'],
      operation: ['read', 'write', 'policy'],
      outcome: ['allowed', 'refused'],
      reason: decisionReasons,
    },
  });
  const decided = ({ type, operation, reason }: Decision) =>
    decisions.add({ type, operation, outcome: reason === 'NONE' ? 'allowed' : 'refused', reason });
  const whyNotWritable: Suites['whyNotWritable'] = (type, id) => {
    const reason = checkWrite(catalogue, { type, id, now: clock.now() });
    decided({ type, operation: 'write', reason });
    return reason;
  };
  return {
    catalogue,
    decided,
    whyNotWritable,
    assertWritable: (type, id) => {
      const reason = whyNotWritable(type, id);
      if (reason !== 'NONE') throw rejected(`nothing new is written with ${id} on this server`, reason, id);
    },
    assertReadable: (type, id) => {
      const reason = checkRead(catalogue, { type, id, now: clock.now() });
      decided({ type, operation: 'read', reason });
      if (reason === 'DISABLED_FOR_READ')
        throw rejected(`what was written with ${id} is not read any more`, reason, id);
      if (reason !== 'NONE')
        throw new ApiError('ENCRYPTION_ERROR', 'this server does not support the cipher suite of this record');
    },
  };
}

type SuitesConfig = { readonly config: Pick<Platform['config'], 'suites'> };

const rejected = (message: string, reason: DecisionReason, suite: string): ApiError =>
  new ApiError('UNPROCESSABLE', `${message}; ask an administrator`, { detail: { reason, suite } });

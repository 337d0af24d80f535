// Which suite content is sealed or opened with: decided here, counted here, refused where this server knows none of that name.
import { ApiError } from '@recordproof/shared/api/errors.ts';
import { type ContentSuite, gcmChunkSuite, plainSuite } from '@recordproof/shared/evidence/content-suites.ts';
import type { Platform } from '../../platform/server.ts';

export type ContentSuites = {
  /** Of the bytes that come in. */
  forWriting(sealed: boolean): ContentSuite;
  /** Of a record. Throws ENCRYPTION_ERROR. */
  forReading(recorded: string): ContentSuite;
};

const isKnown = (suite: string): suite is ContentSuite => suite === plainSuite || suite === gcmChunkSuite;

export function openContentSuites({ metrics }: Pick<Platform, 'metrics'>): ContentSuites {
  const decisions = metrics.counter({
    name: 'app.crypto.suite.decision',
    help: 'Decisions on the suite that content is written or read with',
    labels: {
      type: ['CONTENT_ENCRYPTION'],
      operation: ['write', 'read'],
      outcome: ['allowed', 'refused'],
      reason: ['NONE', 'UNKNOWN_SUITE'],
    },
  });
  const type = 'CONTENT_ENCRYPTION';
  return {
    forWriting: sealed => {
      decisions.add({ type, operation: 'write', outcome: 'allowed', reason: 'NONE' });
      return sealed ? gcmChunkSuite : plainSuite;
    },
    forReading: recorded => {
      if (isKnown(recorded)) {
        decisions.add({ type, operation: 'read', outcome: 'allowed', reason: 'NONE' });
        return recorded;
      }
      decisions.add({ type, operation: 'read', outcome: 'refused', reason: 'UNKNOWN_SUITE' });
      throw new ApiError('ENCRYPTION_ERROR', 'this server does not know the suite that this file is sealed with');
    },
  };
}

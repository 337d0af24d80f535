import type { KeyObject } from 'node:crypto';
import type { Counter } from '../../platform/cluster/limits.ts';
import type { KeyProvider } from '../../platform/crypto/envelope.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Actor } from '../../platform/http/caller.ts';
import type { CopyPorts } from '../copies/index.ts';
import type { ContentPorts } from '../files/index.ts';

export type SharePorts = ContentPorts & {
  readonly database: Pick<Database, 'db' | 'kind'>;
  readonly keyProvider: KeyProvider;
  /** Where guesses are counted. */
  readonly cluster: Counter;
  /** Signs grants. */
  readonly grantKey: KeyObject;
  readonly copies: CopyPorts;
};

/** Somebody who comes with a code. */
export type Visitor = {
  readonly actor: Actor | null;
  readonly ip: string;
  readonly userAgent: string | null;
  /** As sent; nothing is known about it. */
  readonly grant: string | undefined;
};

import type { KeyProvider } from '../../platform/crypto/envelope.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { CopyPorts } from '../copies/index.ts';
import type { ContentPorts } from '../files/index.ts';

export type FriendSharePorts = ContentPorts & {
  readonly database: Pick<Database, 'db' | 'kind'>;
  readonly keyProvider: KeyProvider;
  readonly copies: CopyPorts;
};

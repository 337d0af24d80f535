// The parts of the running program, and the snapshot of them that a new window gets.
import type { Network } from '@recordproof/shared/node/network.ts';
import type { ShellSettings } from '../bridge/bridge.ts';
import type { Push, Snapshot } from '../ipc/table.ts';
import type { Desk } from './desk.ts';
import type { Feed } from './feed.ts';
import type { PrivateJson } from './private-json.ts';
import type { Servers } from './servers.ts';
import type { Sessions } from './sessions.ts';
import type { ProgramTransfers } from './transfers.ts';
import type { Vault } from './vault.ts';

export type Parts = {
  readonly desk: Desk;
  readonly push: Push;
  readonly network: Network;
  readonly userAgent: string;
  readonly servers: Servers;
  readonly sessions: Sessions;
  readonly feed: Feed;
  readonly transfers: ProgramTransfers;
  readonly settings: PrivateJson<ShellSettings>;
  readonly vault: Vault;
};

export function toSnapshot({ servers, sessions, feed, transfers, settings, vault, userAgent }: Parts): Snapshot {
  return {
    serverUrl: servers.current().url,
    session: sessions.state(),
    feed: feed.state(),
    uploads: transfers.uploads(),
    downloads: transfers.downloads(),
    servers: servers.list(),
    settings: settings.get(),
    canKeepTokens: vault.canKeep,
    version: userAgent,
  };
}

// The parts of the running program, and the snapshot of them that a new window gets.
import type { Network } from '@recordproof/shared/node/network.ts';
import type { ShellSettings } from '../bridge/bridge.ts';
import type { Push, Snapshot } from '../ipc/table.ts';
import type { Desk } from './desk.ts';
import type { Feed } from './feed.ts';
import type { PrivateJson } from './private-json.ts';
import type { Servers } from './servers.ts';
import type { SessionPart } from './session.ts';
import type { TransferList } from './transfer-list.ts';
import type { Vault } from './vault.ts';

export type Parts = {
  readonly desk: Desk;
  readonly push: Push;
  readonly network: Network;
  readonly userAgent: string;
  readonly servers: Servers;
  readonly session: SessionPart;
  readonly feed: Feed;
  readonly transfers: TransferList;
  readonly settings: PrivateJson<ShellSettings>;
  readonly vault: Vault;
  tokenOf(account: string): Promise<string | undefined>;
  forget(account: string): Promise<void>;
};

export function toSnapshot({ servers, session, feed, transfers, settings, vault, userAgent }: Parts): Snapshot {
  return {
    serverUrl: servers.current().url,
    session: session.state(),
    feed: feed.state(),
    uploads: transfers.uploads(),
    downloads: transfers.downloads(),
    servers: servers.list(),
    settings: settings.get(),
    canKeepTokens: vault.canKeep,
    version: userAgent,
  };
}

// Messages between friends, readable only by the two.
import { rowsOf } from '../../platform/db/tenant-rows.ts';
import { feature } from '../../platform/feature.ts';
import { purgeMessages } from './conversation.ts';
import { messageMigrations } from './migrations.ts';
import { messageRoutes } from './routes.ts';

/** Referencing tables come first. */
const tenantRows = [rowsOf('message'), rowsOf('conversation_side'), rowsOf('conversation')];

export const messages = feature({
  name: 'messages',
  layer: 3,
  migrations: messageMigrations,
  open: server => ({ routes: messageRoutes(server), jobs: [purgeMessages(server)], tenantRows }),
});

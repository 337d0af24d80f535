// What friends write to each other. Nobody else ever reads it.
import { feature } from '../../platform/feature.ts';
import { purgeMessages } from './delete-conversation.ts';
import { messageMigrations } from './migrations.ts';
import { messageRoutes } from './routes.ts';

export const messages = feature({
  name: 'messages',
  floor: 3,
  migrations: messageMigrations,
  open: server => ({ routes: messageRoutes(server), jobs: [purgeMessages(server)] }),
});

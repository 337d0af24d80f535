// What friends write to each other. Nobody else ever reads it.
import type { Feature } from '../../platform/feature.ts';
import { purgeMessages } from './delete-conversation.ts';
import type { MessagePorts } from './ports.ts';
import { messageRoutes } from './routes.ts';

export { messageMigrations } from './migrations.ts';

export const messages = (ports: MessagePorts): Feature => ({
  name: 'messages',
  routes: messageRoutes(ports),
  jobs: [purgeMessages(ports)],
});

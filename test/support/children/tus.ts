// @tus/server with its file store, as its documentation sets it up.
import { mkdirSync } from 'node:fs';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';

const [folder = '', port = '0'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const server = new Server({ path: '/files', datastore: new FileStore({ directory: folder }) });
server.listen({ host: '127.0.0.1', port: Number(port) });
